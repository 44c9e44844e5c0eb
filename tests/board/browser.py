"""Headless Chromium over local files: what a page says of itself once it is rendered."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--allow-file-access-from-files",
    "--enable-logging=stderr",
    "--v=0",
]
LIMIT = 90


def rendered(page: Path, width: int, ask: str) -> tuple[Any, str]:
    """Show a page in a frame so wide; the value of the JavaScript `ask` (it sees `doc`), and the console."""
    frame = page.with_suffix(".frame.html")
    frame.write_text(
        f"<body><iframe id=f src='{page.name}' style='width:{width}px;height:900px;border:0'></iframe><script>"
        "onload = () => { const doc = document.getElementById('f').contentDocument;"
        " const answer = document.createElement('pre'); answer.id = 'answer';"
        f" answer.textContent = JSON.stringify({ask});"
        " document.body.append(answer); };</script></body>"
    )
    out, console = _chromium("--dump-dom", frame.as_uri())
    found = re.search(r'<pre id="answer">(.*?)</pre>', out, re.DOTALL)
    assert found, f"the page was not rendered:\n{out}\n{console}"
    return json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")), console


def screenshot(page: Path, to: Path) -> None:
    _chromium("--window-size=500,1200", f"--screenshot={to}", page.as_uri())


def _chromium(*words: str) -> tuple[str, str]:
    name = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if name is None:
        pytest.skip("no Chromium here (.ci/run installs Debian's)")
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [name, *FLAGS, f"--user-data-dir={profile}", *words],
            capture_output=True,
            timeout=LIMIT,
            check=False,
            env={"PATH": "/usr/bin:/bin", "HOME": profile, "LC_ALL": "C.UTF-8"},
        )
    lines = [line for line in done.stderr.decode("utf-8", "replace").splitlines() if "CONSOLE" in line]
    print(done.stderr.decode("utf-8", "replace"), file=sys.stderr)
    return done.stdout.decode("utf-8", "replace"), "\n".join(lines)
