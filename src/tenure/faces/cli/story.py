"""The story of the demo: two people, two clones, one task, from the first claim to the pruned record."""

from __future__ import annotations

import json
import os
import time

from tenure.faces.cli.stage import NotAsTold, Person, Stage
from tenure.model import ids

ADA, BOB = "human:ada", "human:bob"
_TITLE = "Migrate auth to opaque sessions"
_CRITERION = "every session token is opaque"
_SOFTER = "most session tokens are opaque"
_REASON = "the criterion names a test that does not exist yet"
_BACKGROUND = 8.0  # seconds that a detached push may take on a busy machine
_CONFIG = """schema: 1
default_branch: main
verifiers:
  opaque:
    run: "! grep -rn jwt src/auth"
"""


class Story:
    """Every chapter types real commands on the stage and checks what they answer."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.ada = Person("ada", ADA, os.path.join(stage.folder, "ada"))
        self.bob = Person("bob", BOB, os.path.join(stage.folder, "bob"))
        self.task = ""

    @property
    def short(self) -> str:
        """What a person types of the task's id."""
        return ids.short(self.task)

    @property
    def file(self) -> str:
        """The task's file, from the top of a clone."""
        return f".ank/entities/{self.task}.md"

    def tell(self) -> None:
        """All of it, in order. NotAsTold (9) at the first answer that is not as told."""
        self.begin()
        self.one_winner()
        self.working_renews()
        self.bar_stays()
        self.contested()
        self.hand_over()
        self.finished()
        self.merged()

    def begin(self) -> None:
        stage, ada, bob = self.stage, self.ada, self.bob
        stage.chapter("A repository, an origin, two clones, two people")
        top = Person("you", "", stage.folder)
        stage.run(top, "git init -q --bare origin.git")
        stage.run(top, "git clone -q origin.git ada")
        stage.run(ada, "tenure init", hears=("created .ank/entities/", "tenure new"))
        self.write(ada, ".ank/config.yml", _CONFIG)
        self.write(ada, "src/auth/login.py", "token = jwt.encode(user)\n")
        new = f"tenure new task --title '{_TITLE}' --scope 'src/auth/**' --criteria '{_CRITERION}' --verify opaque"
        self.task = stage.run(ada, new, hears=("created TASK-",)).text.split()[1]
        stage.run(ada, "git add -A")
        stage.run(ada, "git commit -q -m 'The first task'")
        stage.run(ada, "git push -q origin main")
        stage.run(top, "git clone -q origin.git bob")
        stage.run(bob, "tenure init", hears=("pre-commit",))

    def one_winner(self) -> None:
        stage, ada, bob = self.stage, self.ada, self.bob
        stage.chapter("Ada claims the task: file, ref and frozen criterion in one step. Bob is too late")
        stage.run(ada, f"tenure claim {self.short}", hears=(f"claimed {self.task}", "-> HEAD"))
        stage.run(bob, f"tenure claim {self.short}", exits=4, hears=("error[4]", f"is held by {ADA}", "tenure claim"))
        stage.run(bob, "tenure board", hears=("Live claims", ADA))

    def working_renews(self) -> None:
        stage, ada = self.stage, self.ada
        stage.chapter("Ada works. Her commit renews the lease; there is nothing else to remember")
        before = self.expires()
        time.sleep(1.1)  # so that a later end can be seen in whole seconds
        self.write(ada, "src/auth/session.py", "token = secrets.token_urlsafe()\n")
        stage.run(ada, "git add src/auth/session.py .ank")
        stage.run(ada, "git commit -q -m 'Sessions are opaque'")
        after = self.expires()
        stage.tell(f"the lease ended {before}")
        stage.tell(f"and now ends   {after}")
        stage.check("the commit moved the end of the lease", after > before)
        stage.run(ada, "git push -q origin main")

    def bar_stays(self) -> None:
        stage, ada = self.stage, self.ada
        stage.chapter("Ada lowers the bar. The commit is refused, and so is the push that went around the hook")
        self.edit(ada, _CRITERION, _SOFTER)
        stage.run(
            ada, f"git commit -q -m 'Be realistic' {self.file}", exits=1, hears=(_SOFTER, "tenure criteria restore")
        )
        stage.run(ada, f"git commit -q --no-verify -m 'Be realistic' {self.file}")
        stage.run(ada, "git push -q origin main", exits=1, hears=(_SOFTER, "tenure criteria restore"))
        stage.run(ada, f"tenure criteria restore {self.short}", hears=(self.task,))
        stage.run(ada, f"git commit -q -m 'Keep the bar' {self.file}")
        stage.run(ada, "git push -q origin main")
        stage.check("the criterion is the frozen one again", _CRITERION in self.read(ada, self.file))

    def contested(self) -> None:
        stage, ada, bob = self.stage, self.ada, self.bob
        stage.chapter("Bob changes the status of Ada's task. Nothing stops him, and everybody can see it")
        stage.run(bob, "git pull -q")
        stage.run(bob, "git switch -q -c unstick")
        self.edit(bob, "status: in_progress", "status: open")
        held = self.expires()
        stage.run(bob, f"git commit -q -m 'This looks stuck' {self.file}", hears=(f"is held by {ADA}",))
        stage.run(bob, "git push -q origin unstick")
        warned = ("task.contested", "in_progress -> open", "bob@example.org", f"held by {ADA}")
        stage.run(ada, "tenure activity --severity warn", hears=warned, patience=_BACKGROUND)
        stage.check("one contest, and the lease is as it was", self.contests() == 1 and self.expires() == held)

    def hand_over(self) -> None:
        stage, ada, bob = self.stage, self.ada, self.bob
        stage.chapter("Ada hands the task back with a reason. Bob takes it and reads why")
        stage.run(ada, "tenure release", exits=7, hears=("error[7]", "--reason"))
        stage.run(ada, f"tenure release --reason '{_REASON}'", hears=(f"released {self.task}", "open"))
        stage.run(ada, "git add -A")
        stage.run(ada, "git commit -q -m 'Hand it back'")
        stage.run(ada, "git push -q origin main")
        stage.run(bob, "git switch -q main")
        stage.run(bob, "git pull -q")
        stage.run(bob, f"tenure claim {self.short}", hears=(f"claimed {self.task}", _REASON))

    def finished(self) -> None:
        stage, ada, bob = self.stage, self.ada, self.bob
        stage.chapter("Bob finishes it on a branch. `done` runs the verifier, and does not take no for an answer")
        stage.run(bob, "git switch -q -c sessions")
        stage.run(bob, "tenure done", exits=5, hears=("error[5]", "opaque"))
        stage.run(bob, "git rm -q src/auth/login.py")
        stage.run(bob, "git commit -q -a -m 'No token is a JWT'")
        stage.run(bob, "tenure done", hears=(f"done {self.task}",))
        stage.run(bob, "git add -A")
        stage.run(bob, "git commit -q -m 'Done'")
        stage.run(bob, "git push -q origin sessions")
        stage.tell("in Ada's clone the file still says open; the completion keeps her from doing it again")
        told = ("error[4]", "finished on another branch", "branch sessions", "not merged here yet")
        stage.run(ada, f"tenure claim {self.short}", exits=4, hears=told)

    def merged(self) -> None:
        stage, ada, bob = self.stage, self.ada, self.bob
        stage.chapter("Ada merges. The default branch says done, so the record has served its time")
        stage.run(ada, "git fetch -q origin")
        stage.run(ada, "git merge -q --no-edit origin/sessions")
        stage.run(ada, "git push -q origin main")
        stage.run(ada, "tenure check", hears=("pruned",))
        top = Person("you", "", stage.folder)
        left = stage.run(top, "git -C origin.git for-each-ref refs/ank/claims").text
        stage.check("no record is left on origin", not left.strip())
        stage.run(bob, "tenure board", never="Live claims")

    def expires(self) -> str:
        """The end of Ada's lease."""
        return lease_end(self.stage, self.ada)

    def contests(self) -> int:
        """How many contests the feed holds."""
        answer = self.stage.quietly(self.ada, "tenure activity --severity warn")
        return answer.text.count("task.contested")

    def read(self, who: Person, path: str) -> str:
        with open(os.path.join(who.folder, path), encoding="utf-8") as file:
            return file.read()

    def write(self, who: Person, path: str, text: str) -> None:
        """A person edits a file."""
        target = os.path.join(who.folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)
        self.stage.tell(f"{who.name} writes {path}")

    def edit(self, who: Person, old: str, new: str) -> None:
        """A person changes the task's file."""
        text = self.read(who, self.file)
        if old not in text:
            raise NotAsTold(f"{self.file} does not say {old!r}", "tenure demo --keep")
        with open(os.path.join(who.folder, self.file), "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))
        self.stage.tell(f"{who.name} edits the task: {old}  ->  {new}")


def lease_end(stage: Stage, who: Person) -> str:
    """The end of the lease that somebody holds, as `status --json` tells it (the record's UTC text)."""
    answer = stage.quietly(who, "tenure status --json")
    try:
        return str(json.loads(answer.text)["claim"]["expires"])
    except (ValueError, KeyError, TypeError):
        raise NotAsTold(f"status does not tell the lease: {answer.text[:200]}", "tenure demo --keep") from None
