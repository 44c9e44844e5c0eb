"""Trees made without an index of anybody's: a private one in our own state folder (R-A1, R-H5)."""

from __future__ import annotations

import os

from tenure.git import process
from tenure.model.text import to_bytes


def changed(base: str | None, entries: dict[str, str], drop: set[str], scratch: str) -> str:
    """A tree: all of `base`, with these blobs (path to object) added or in place of what stood there, less `drop`.

    `scratch` is a folder that may be written: the index is made there, whatever index the caller was handed by git.
    """
    os.makedirs(scratch, exist_ok=True)
    index = os.path.join(scratch, f"index.{os.getpid()}")
    env = {name: text for name, text in process.environment().items() if name != "GIT_WORK_TREE"}
    env |= {"GIT_INDEX_FILE": index}
    try:
        process.need(["read-tree", base] if base else ["read-tree", "--empty"], env=env)
        lines = [f"100644 {oid}\t{path}\0" for path, oid in entries.items()]
        lines += [f"0 {'0' * 40}\t{path}\0" for path in drop]
        if lines:
            process.need(["update-index", "-z", "--index-info"], to_bytes("".join(lines)), env)
        return process.need(["write-tree", "--missing-ok"], env=env).line
    finally:
        for path in (index, index + ".lock"):
            if os.path.exists(path):
                os.unlink(path)


def blobs(contents: list[bytes], scratch: str) -> list[str]:
    """Store several blobs with one process."""
    if len(contents) < 2:
        return [process.need(["hash-object", "-w", "--stdin"], data).line for data in contents]
    os.makedirs(scratch, exist_ok=True)
    paths = []
    try:
        for number, data in enumerate(contents):
            paths.append(os.path.join(scratch, f"blob.{os.getpid()}.{number}"))
            with open(paths[-1], "wb") as file:
                file.write(data)
        names = to_bytes("".join(path + "\n" for path in paths))
        return process.need(["hash-object", "-w", "--no-filters", "--stdin-paths"], names).text.split()
    finally:
        for path in paths:
            if os.path.exists(path):
                os.unlink(path)
