"""One run of the Action: inputs, event, ground, modes, and what is told of it. `main` alone ends it."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Mapping

from tenure.faces.action import annotate, checkout, deliver, event, inputs, modes
from tenure.faces.action.commands import Log
from tenure.faces.action.event import Event
from tenure.faces.action.inputs import Inputs
from tenure.faces.action.report import Report
from tenure.model.errors import TenureError

AGENT = "process:github-actions"


def main(argv: list[str]) -> int:
    """Run once; the exit code is 1 where the step fails (R-G4, R-G7), else 0. `argv` is not used."""
    del argv
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")  # type: ignore[union-attr]
    environment = dict(os.environ)
    log = Log()
    at = int(time.time())
    try:
        asked = inputs.read(environment)
    except TenureError as wrong:
        return _refuse(log, environment, Report(at, failure=wrong.message))
    what = event.read(environment)
    report = _work(what, asked, environment, at)
    report = deliver.over_api(report, what, asked, environment)
    deliver.on_the_spot(report, environment, log)
    return 1 if report.fails else 0


def _refuse(log: Log, environment: Mapping[str, str], report: Report) -> int:
    """The inputs cannot be read, so nothing of what they ask for is done."""
    annotate.emit([annotate.Annotation("error", "tenure: wrong input", report.failure or "")], log.issue)
    deliver.outputs(report, environment)
    return 1


def _work(what: Event, asked: Inputs, environment: Mapping[str, str], at: int) -> Report:
    """Do what the modes ask for; whatever stops it becomes the report's failure."""
    os.environ.setdefault("ANK_AGENT", AGENT)
    ground = None
    try:
        ground = checkout.prepare(what, asked.token, environment)
        return modes.run(ground, what, asked, at)
    except TenureError as wrong:
        return modes.failed(asked, at, wrong.message)
    except Exception as wrong:  # an error of ours must be told like any other, and never pass for a clean run
        return modes.failed(asked, at, f"an error of tenure's own: {type(wrong).__name__}: {wrong}")
    finally:
        if ground is not None:
            os.chdir(os.path.dirname(os.path.dirname(ground.folder)))
            shutil.rmtree(os.path.dirname(ground.folder), ignore_errors=True)
