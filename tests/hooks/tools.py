"""The real tools that manage hooks, as a person would set them up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hooks.ground import Repo

LOCAL = """\
repos:
  - repo: local
    hooks:
      - id: {ran}
        name: ran
        language: system
        entry: sh -c 'echo ran >>"{file}"'
        always_run: true
        pass_filenames: false
        stages: [pre-commit, pre-push]
"""


def framework(name: str) -> Callable[[Repo], None]:
    def install(repo: Repo) -> None:
        repo.ground.tool(name)
        repo.write(".pre-commit-config.yaml", LOCAL.format(ran="ran", file=repo.ground.root / "ran"))
        repo.git("add", ".pre-commit-config.yaml")
        run(repo, name, "install", "-t", "pre-commit", "-t", "pre-push")

    return install


def run(repo: Repo, *words: str, exits: int | None = 0, **env: str) -> str:
    done = repo.ground.run(*words, cwd=repo.path, exits=exits, env=env)
    return done.stdout + done.stderr


def manager(repo: Repo, node: Path, name: str) -> None:
    tool = repo.ground.root / "bin" / name
    if not tool.exists():
        tool.symlink_to(node / name)
    if name == "husky":
        run(repo, "husky")
        return
    if not (repo.path / "lefthook.yml").exists():
        repo.write("lefthook.yml", "pre-commit:\n  jobs:\n    - run: 'true'\npre-push:\n  jobs:\n    - run: 'true'\n")
    run(repo, "lefthook", "install", "--force")


def follow(repo: Repo, lines: list[str]) -> None:
    """Write each line into the file that the comment above it names."""
    texts: dict[str, str] = {}
    name = ""
    for line in lines:
        if line.startswith("# in "):
            name = line.removeprefix("# in ")
        else:
            texts[name] = texts.get(name, "") + line + "\n"
    for name, text in texts.items():
        repo.write(name, text)
