"""The board as text and as a document (§10 `board`, R-A5, R-C8, R-L4)."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

from hooks.ground import ROOT
from team import ADA, AUTH, BOB, GUIDE, Team, claim_text, document, put

GONE = "TASK-00000000aaaa"


def test_the_board_has_live_and_lapsed_claims_completions_and_contests(team: Team) -> None:
    """§10: claims[] with the time left, completions[], contested[] of the feed."""
    repo = team.project()
    repo.tenure("claim", AUTH, ANK_AGENT=ADA)
    put(repo, GONE, claim_text(GONE, "human:cy", -9000, -3000))
    repo.tenure("claim", GUIDE, ANK_AGENT=BOB)
    repo.tenure("done", "--proof", f"commit:{repo.ask('rev-parse', 'HEAD')}", ANK_AGENT=BOB)
    repo.tenure("close", AUTH, "--reason", "overtaken", ANK_AGENT=BOB)
    repo.git("checkout", "-q", "--", ".ank")
    repo.tenure("claim", AUTH, ANK_AGENT=ADA)

    found = document(repo, "board")

    live, lapsed = found["claims"]
    assert (live["task"], live["title"], live["holder"], live["live"]) == (AUTH, "Migrate auth", ADA, True)
    assert 1700 < live["remaining_s"] <= 1800
    assert (lapsed["task"], lapsed["title"], lapsed["live"], lapsed["remaining_s"]) == (GONE, None, False, 0)
    (done,) = found["completions"]
    assert (done["task"], done["identity"], done["branch"]) == (GUIDE, BOB, "main")
    (met,) = found["contested"]
    assert (met["task"], met["holder"], met["actor"], met["to"]) == (AUTH, ADA, BOB, "closed")


def test_plain_text_names_each_group_and_who_holds_what(team: Team) -> None:
    """§10: in the manner of `git status`; a group without rows is not there."""
    repo = team.project()
    assert repo.tenure("board").stdout == "nothing is claimed   (tenure claim --next)\n"
    repo.tenure("claim", AUTH, ANK_AGENT=ADA)
    said = repo.tenure("board", ANK_AGENT=BOB).stdout
    assert said.startswith("Live claims:\n") and "Lapsed" not in said and "Contested" not in said
    assert f"{AUTH}  {ADA}  29m left, until " in said or f"{AUTH}  {ADA}  30m left, until " in said
    assert "(you)" in repo.tenure("board", ANK_AGENT=ADA).stdout


def test_the_board_refreshes_the_mirror_and_says_when_it_could_not(team: Team) -> None:
    """R-A5: another clone's claim is seen at once; with origin away what is known is shown, with a warning."""
    team.share(team.project())
    ada, bob = team.clone("ada"), team.clone("bob")
    ada.tenure("claim", AUTH, ANK_AGENT=ADA)
    assert [one["holder"] for one in document(bob, "board", ANK_AGENT=BOB)["claims"]] == [ADA]
    (team.ground.root / "origin.git").rename(team.ground.root / "away.git")
    said = document(bob, "board", ANK_AGENT=BOB)
    assert [one["holder"] for one in said["claims"]] == [ADA]
    assert any("origin could not be read" in one for one in said["warnings"])


def test_an_unreadable_ref_is_one_line_and_hides_nothing(team: Team) -> None:
    """R-C8: exit 0, one warning a ref, all other claims are there."""
    repo = team.project()
    repo.tenure("claim", AUTH, ANK_AGENT=ADA)
    put(repo, GUIDE, "neither here nor there: [\n")
    done = repo.tenure("board")
    assert AUTH in done.stdout
    assert [GUIDE in line for line in done.stderr.splitlines()] == [True]


def test_the_board_renews_nothing(team: Team) -> None:
    """R-L4: looking is not working."""
    repo = team.project()
    put(repo, AUTH, claim_text(AUTH, ADA, -1000, 500))
    before = repo.ask("rev-parse", f"refs/ank/claims/{AUTH}")
    repo.tenure("board", ANK_AGENT=ADA)
    assert repo.ask("rev-parse", f"refs/ank/claims/{AUTH}") == before


def test_a_line_break_in_a_title_makes_no_line_of_its_own(team: Team) -> None:
    """R-X3: foreign text can neither move the cursor nor pass for a row of the board."""
    repo = team.project((AUTH, "One\n        TASK-000000000000  human:eve  1h left\x1b[2J"))
    repo.tenure("claim", AUTH, ANK_AGENT=ADA)
    said = repo.tenure("board").stdout
    assert "\x1b" not in said and not any(line.startswith("        TASK-0000") for line in said.splitlines())


def test_a_page_goes_to_stdout_for_a_dash(team: Team) -> None:
    """For a pipe; the document wants stdout too, so both together are refused."""
    repo = team.project()
    assert repo.tenure("board", "--html", "-").stdout.startswith("<!doctype html>")
    assert not (repo.path / "-").exists()
    assert "stdout" in repo.tenure("board", "--html", "-", "--json", exits=1).stderr


def test_a_page_that_cannot_be_written_leaves_what_was_there(team: Team) -> None:
    """R-X4: 9, the reason, and the old page whole."""
    repo = team.project()
    (repo.path / "board.html").write_text("old")
    refused = repo.tenure("board", "--html", "nowhere/board.html", exits=9)
    assert refused.stderr.startswith("error[9]: ") and "nowhere/board.html" in refused.stderr
    repo.tenure("board", "--html", "board.html")
    assert (repo.path / "board.html").read_text().startswith("<!doctype html>")


def test_long_work_shows_on_a_terminal_and_never_in_a_pipe(team: Team) -> None:
    """What takes long is said where a person looks, and taken away again."""
    repo = team.project()
    assert "reading origin" not in repo.tenure("board").stderr
    ours, theirs = pty.openpty()
    words, env = [sys.executable, "-m", "tenure", "board"], {"PYTHONPATH": str(ROOT / "src"), "TERM": "xterm"}
    subprocess.run(words, cwd=repo.path, env=team.ground.environment(**env), stdout=theirs, stderr=theirs, check=True)
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert "\rreading origin ...\r\x1b[K" in shown and shown.rstrip().endswith("(tenure claim --next)")


def test_past_its_end_a_lease_says_when_it_can_be_taken_over(team: Team) -> None:
    """R-L2: nobody is told that a lease which is still the holder's ends in 0 seconds."""
    repo = team.project()
    put(repo, AUTH, claim_text(AUTH, BOB, -1000, -30))
    assert f"{AUTH}  {BOB}  ended " in repo.tenure("board", ANK_AGENT=ADA).stdout
    assert ", free to be taken over in 1m\n" in repo.tenure("board", ANK_AGENT=ADA).stdout
    assert "(free to be taken over in 1m)" in repo.tenure("status", ANK_AGENT=ADA).stdout
    refused = repo.tenure("claim", AUTH, exits=4, ANK_AGENT=ADA).stderr
    assert f"held by {BOB} (ended, free to be taken over in 1m)\n" in refused


def test_a_finished_task_is_said_to_be_merged_once_the_default_branch_says_done(team: Team) -> None:
    """R-G2: until then it waits for a merge, afterwards for `check`."""
    repo = team.project()
    repo.tenure("claim", AUTH, ANK_AGENT=ADA)
    said = repo.tenure("done", AUTH, "--proof", "commit:HEAD", ANK_AGENT=ADA).stdout
    assert said.splitlines()[1].startswith("  -> git add .ank && git commit ")
    assert "Finished, not on the default branch yet:" in repo.tenure("board").stdout
    assert "not on the default branch yet" in repo.tenure("status").stdout
    repo.git("add", ".ank")
    repo.git("commit", "-q", "-m", "Done")
    board = repo.tenure("board").stdout
    assert board.startswith('Finished and merged, to be pruned:\n  (use "tenure check")\n')
    assert not board.endswith("\n\n")
    assert "merged here   (tenure check prunes it)" in repo.tenure("status").stdout
    repo.tenure("check", exits=None)
    assert "finished" not in repo.tenure("status").stdout


def test_the_task_may_stand_behind_the_proofs(team: Team) -> None:
    """§10 done: a flag that takes several values does not swallow the task."""
    repo = team.project()
    repo.tenure("claim", AUTH, ANK_AGENT=ADA)
    repo.tenure("done", "--proof", "commit:HEAD", AUTH, ANK_AGENT=ADA)
    wrong = repo.tenure("done", "--proof", "nonsense", exits=1, ANK_AGENT=ADA).stderr
    assert wrong.endswith("  -> tenure done --proof commit:$(git rev-parse HEAD)\n")


def test_a_regrant_with_another_length_says_that_the_length_stays(team: Team) -> None:
    """R-L3: the granted length is the record's."""
    repo = team.project()
    repo.tenure("claim", AUTH, "--lease", "45m", ANK_AGENT=ADA)
    assert "keeps its length of 45m" in repo.tenure("claim", AUTH, "--lease", "2h", ANK_AGENT=ADA).stderr
    assert repo.tenure("claim", AUTH, "--lease", "45m", ANK_AGENT=ADA).stderr == ""
    assert repo.tenure("claim", AUTH, ANK_AGENT=ADA).stderr == ""
