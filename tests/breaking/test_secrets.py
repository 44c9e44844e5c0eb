"""What stands in a URL before the host is shown nowhere and kept nowhere."""

from __future__ import annotations

from breaking import scene
from support import World, free_port

SECRET = "hunter2"


def test_no_verb_hook_or_state_file_tells_the_password_in_origin_s_url(world: World) -> None:
    """R-X3: doctor's words end up in bug reports."""
    ada = scene.held(world)
    ada.git("remote", "set-url", "origin", f"https://ada:{SECRET}@127.0.0.1:{free_port()}/team.git")
    for words in (["doctor"], ["doctor", "--json"], ["status"], ["log", "Under way"], ["release", "--reason", "later"]):
        done = ada.tenure(*words, exits=None)
        assert SECRET not in done.out + done.err, words
    ada.touch()
    assert SECRET not in ada.commit("Work").err
    assert "127.0.0.1" in ada.tenure("doctor", exits=8).out
    files = [path for path in (ada.path / ".git" / "tenure").rglob("*") if path.is_file()]
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]
