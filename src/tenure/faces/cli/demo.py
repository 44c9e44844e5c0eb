"""demo: the whole story on a scratch repository, with real commands whose answers are checked (§10)."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time

from tenure.faces.cli.output import Output, Styled
from tenure.faces.cli.stage import Person, Stage
from tenure.faces.cli.story import ADA, Story, lease_end
from tenure.git import process
from tenure.model.errors import NotFound


def register(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--corpus", metavar="DIR", help="also list, claim and renew in a copy of this repository's .ank"
    )
    parser.add_argument("--keep", action="store_true", help="leave the scratch folder in place and say where it is")


def run(args: argparse.Namespace, out: Output) -> int:
    process.version()
    corpus = os.path.abspath(args.corpus) if args.corpus else None
    if corpus and not os.path.isdir(os.path.join(corpus, ".ank")):
        raise NotFound(f"there is no .ank folder in {args.corpus}", "tenure demo")
    folder = tempfile.mkdtemp(prefix="tenure-demo-")
    begun = time.monotonic()
    stage = Stage(folder, out)
    try:
        out.say(Styled("tenure demo", "bold"), f": claims on plain git refs, in {folder}")
        Story(stage).tell()
        if corpus:
            _corpus(stage, corpus)
        out.say()
        told = f"All {len(stage.steps)} answers were as told, in {time.monotonic() - begun:.0f} s."
        out.say(Styled(told, "good"), "  Now yours: tenure init")
    finally:
        out.document({"steps": stage.steps})
        _leave(folder, args.keep, out)
    return 0


def _corpus(stage: Stage, source: str) -> None:
    """The same verbs on real files: list, claim, renew."""
    stage.chapter(f"A real corpus: {source}")
    folder = os.path.join(stage.folder, "corpus")
    shutil.copytree(os.path.join(source, ".ank"), os.path.join(folder, ".ank"))
    who = Person("ada", ADA, folder)
    stage.run(who, "git init -q")
    stage.run(who, "tenure init", hears=("pre-commit",))
    stage.run(who, "git add -A")
    stage.run(who, "git commit -q -m 'As it came'")
    stage.run(who, 'tenure find "" --type task')
    task = stage.run(who, "tenure claim --next", hears=("claimed TASK-",)).text.split("claimed ")[1].split()[0]
    path = next(one for one in _files(folder) if task in one)
    before = lease_end(stage, who)
    time.sleep(1.1)  # so that a later end can be seen in whole seconds
    stage.run(who, f"git commit -q -m 'Take {task}' {path}")
    stage.check("the commit renewed the lease", lease_end(stage, who) > before)
    stage.run(who, "tenure context")


def _files(folder: str) -> list[str]:
    return [
        os.path.relpath(os.path.join(where, name), folder)
        for where, _, names in os.walk(os.path.join(folder, ".ank"))
        for name in names
    ]


def _leave(folder: str, keep: bool, out: Output) -> None:
    if keep:
        out.say(f"The scratch folder stays: {folder}")
        return
    for _ in range(10):  # the background may still be writing there
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.exists(folder):
            return
        time.sleep(0.2)
