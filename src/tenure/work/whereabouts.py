"""Where the work is: commit, branch, default branch (R-A3, format page D)."""

from __future__ import annotations

from tenure.git import objects, process
from tenure.model.errors import Broken
from tenure.model.event import Act
from tenure.work.session import Session


def branch() -> str | None:
    """The branch of this worktree; None when detached."""
    done = process.run(["symbolic-ref", "--quiet", "--short", "HEAD"])
    return done.line if done.ok and done.line else None


def commit() -> str | None:
    """HEAD's commit; None before the first one."""
    return objects.resolve("HEAD")


def act(session: Session, source: str = "verb") -> Act:
    """Who acts, when and where: what every event of this command shares."""
    return Act(session.identity.value, session.at, session.email or None, commit(), branch(), source)


def default_branch(session: Session) -> str | None:
    """The setting, else what origin's HEAD was seen to be; never assumed (format page D)."""
    if session.default_branch_setting and session.default_branch_setting.strip():
        return session.default_branch_setting.strip()
    if session.origin is None:
        return None
    head = f"refs/remotes/{session.origin.name}/HEAD"
    done = process.run(["symbolic-ref", "--quiet", head])
    prefix = f"refs/remotes/{session.origin.name}/"
    return done.line[len(prefix) :] if done.ok and done.line.startswith(prefix) else None


def default_tips(session: Session) -> list[str]:
    """The commit that the default branch is at, as everybody sees it: origin's where it was seen, else the one here.

    What only this clone's branch says is not known to the others: their claims must not be judged by it (R-G2).
    """
    name = default_branch(session)
    if name is None:
        return []
    names = [*([f"refs/remotes/{session.origin.name}/{name}"] if session.origin else []), f"refs/heads/{name}"]
    return [oid for oid in objects.peeled(names) if oid][:1]


def must_know_default(session: Session) -> str:
    """The default branch's name, or Broken (9)."""
    name = default_branch(session)
    if name is None:
        raise Broken("the default branch is not known here", name_default(session))
    return name


def name_default(session: Session) -> str:
    """The command that makes the default branch known."""
    if session.origin is None:
        import shlex

        return f"echo {shlex.quote('default_branch: ' + (branch() or 'main'))} >> .tenure.yml"
    return f"git remote set-head {session.origin.name} --auto"
