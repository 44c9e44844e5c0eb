"""Makes `github.json` anew: GitHub's OpenAPI description cut down to what the Action calls.

Usage: cut.py <generated/api.github.com.json of the npm package @octokit/openapi> github.json
Prose and examples go, shapes and limits stay. The GraphQL address, which that description lacks, is added by hand.
"""

from __future__ import annotations

import json
import sys
from typing import Any

KEPT = {
    "/repos/{owner}/{repo}/check-runs": ("post",),
    "/repos/{owner}/{repo}/check-runs/{check_run_id}": ("patch",),
    "/repos/{owner}/{repo}/issues/{issue_number}/comments": ("get", "post"),
    "/repos/{owner}/{repo}/issues/comments/{comment_id}": ("patch",),
}
PROSE = ("description", "summary", "example", "examples", "externalDocs", "x-github", "tags")
NAMES = ("properties", "parameters", "schemas", "responses", "headers", "examples")  # whose keys are names, not prose
GRAPHQL = {
    "post": {
        "operationId": "graphql",
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {
                        "type": "object",
                        "required": ["query"],
                        "additionalProperties": False,
                        "properties": {
                            "query": {"type": "string", "minLength": 1},
                            "variables": {"type": "object"},
                            "operationName": {"type": "string"},
                        },
                    }
                }
            },
        },
        "responses": {
            "200": {
                "description": "data",
                "content": {
                    "application/json": {"schema": {"type": "object", "properties": {"data": {}, "errors": {}}}}
                },
            }
        },
    }
}


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:
        whole = json.load(file)
    paths = {path: _operations(whole["paths"][path], verbs) for path, verbs in KEPT.items()}
    parts: dict[str, Any] = {}
    _gather(whole, paths, parts)
    cut = {
        "openapi": whole["openapi"],
        "info": {"title": whole["info"]["title"], "version": whole["info"]["version"], "license": {"name": "MIT"}},
        "paths": _bare({**paths, "/graphql": GRAPHQL}),
        "components": _bare(parts),
    }
    with open(sys.argv[2], "w", encoding="utf-8", newline="\n") as file:
        json.dump(cut, file, separators=(",", ":"), sort_keys=True)
        file.write("\n")


def _operations(path: dict[str, Any], verbs: tuple[str, ...]) -> dict[str, Any]:
    return {name: one for name, one in path.items() if name in (*verbs, "parameters")}


def _gather(whole: dict[str, Any], part: Any, parts: dict[str, Any]) -> None:
    """Everything that is referred to from here on, into `parts`."""
    for name in _references(part):
        kind, key = name.removeprefix("#/components/").split("/", 1)
        if key not in parts.setdefault(kind, {}):
            parts[kind][key] = whole["components"][kind][key]
            _gather(whole, parts[kind][key], parts)


def _references(part: Any) -> list[str]:
    if isinstance(part, list):
        return [name for one in part for name in _references(one)]
    if not isinstance(part, dict):
        return []
    own = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
    return own + [name for key, one in part.items() if key not in PROSE[2:4] for name in _references(one)]


def _bare(part: Any, names: bool = False) -> Any:
    """Without prose; `names`: the keys here are names that somebody chose. A response must keep a description."""
    if isinstance(part, list):
        return [_bare(one) for one in part]
    if not isinstance(part, dict):
        return part
    kept = {key: _bare(one, key in NAMES) for key, one in part.items() if names or key not in PROSE}
    if "description" in part and not names and ("content" in part or set(part) <= {"description", "headers"}):
        kept["description"] = ""
    if kept.get("nullable") is True and "enum" in kept:
        kept["enum"] = [*kept["enum"], None]  # the description forgets it, the server sends it
    return kept


if __name__ == "__main__":
    main()
