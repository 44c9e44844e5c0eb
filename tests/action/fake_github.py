"""A small GitHub over real HTTP: comments, check runs and `viewer`, with memory, pages and refusals on demand.

Every request that the Action sends is checked against GitHub's own description of its API (`api/github.json`), and so
is every answer that this stand-in gives.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from openapi_core import OpenAPI
from openapi_core.testing import MockRequest, MockResponse

from tenure.model.value import value

DESCRIPTION = OpenAPI.from_file_path(str(Path(__file__).parent / "api" / "github.json"))
INSTANT = "2026-11-30T10:00:00Z"


@value
class Seen:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@value
class Planned:
    """An answer to give instead of the real one, once."""

    status: int
    body: Any
    headers: dict[str, str]


class FakeGitHub:
    """Serve `prefix` (an Enterprise server's `/api/v3`) until closed. State and requests are there to be read."""

    def __init__(self, prefix: str = "", viewer: str | None = "github-actions[bot]", page: int = 100) -> None:
        self.prefix, self.viewer, self.page = prefix, viewer, page
        self.comments: list[dict[str, Any]] = []
        self.check_runs: dict[int, dict[str, Any]] = {}
        self.requests: list[Seen] = []
        self.planned: list[Planned] = []
        self.faults: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def base(self) -> str:
        return self.root + self.prefix

    @property
    def graphql(self) -> str:
        return self.root + "/graphql"

    @property
    def writes(self) -> list[Seen]:
        """Requests that change something."""
        return [one for one in self.requests if one.method != "GET" and one.path != "/graphql"]

    def close(self) -> None:
        """Stop serving; every request and answer must have been as GitHub describes them."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        assert self.faults == [], "\n".join(self.faults)

    def plan(self, status: int, message: str = "", count: int = 1, **headers: str) -> None:
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        self.planned += [Planned(status, {"message": message}, named)] * count

    def add_comment(self, body: str, login: str, kind: str = "User") -> dict[str, Any]:
        made = _comment(len(self.comments) + 1, body, login, kind)
        self.comments.append(made)
        return made

    def answer(self, seen: Seen) -> Planned:
        path, _, query = seen.path.partition("?")
        path = path.removeprefix(self.prefix) if path != "/graphql" else path
        self._check(seen, path, query)
        if self.planned:
            return self.planned.pop(0)
        given = self._route(seen, path.strip("/").split("/"), parse_qs(query))
        self._check_answer(seen, path, given)
        return given

    def _route(self, seen: Seen, words: list[str], query: dict[str, list[str]]) -> Planned:
        match seen.method, words:
            case "POST", ["graphql"] if self.viewer:
                return Planned(200, {"data": {"viewer": {"login": self.viewer}}}, {})
            case "POST", ["graphql"]:
                return Planned(200, {"errors": [{"message": "Resource not accessible"}]}, {})
            case "GET", ["repos", _, _, "issues", _, "comments"]:
                return self._page_of_comments(seen, int(query.get("page", ["1"])[0]))
            case "POST", ["repos", _, _, "issues", _, "comments"]:
                return Planned(201, self.add_comment(seen.body["body"], self.viewer or "some-app[bot]", "Bot"), {})
            case "PATCH", ["repos", _, _, "issues", "comments", number]:
                found = next(one for one in self.comments if one["id"] == int(number))
                found["body"] = seen.body["body"]
                return Planned(200, found, {})
            case "POST", ["repos", _, _, "check-runs"]:
                made = len(self.check_runs) + 1
                self.check_runs[made] = _check_run(made, seen.body)
                return Planned(201, self.check_runs[made]["shown"], {})
            case "PATCH", ["repos", _, _, "check-runs", number]:
                return Planned(200, _continued(self.check_runs[int(number)], seen.body), {})
        return Planned(404, {"message": "Not Found"}, {})

    def _page_of_comments(self, seen: Seen, page: int) -> Planned:
        rows = self.comments[(page - 1) * self.page : page * self.page]
        more = len(self.comments) > page * self.page
        here = f"{self.root}{seen.path.partition('?')[0]}"
        link = {"Link": f'<{here}?per_page=100&page={page + 1}>; rel="next"'} if more else {}
        return Planned(200, rows, link)

    def _check(self, seen: Seen, path: str, query: str) -> None:
        data = json.dumps(seen.body).encode() if seen.body is not None else None
        args = {name: texts[0] for name, texts in parse_qs(query).items()}
        request = MockRequest("http://x", seen.method.lower(), path, args=args, data=data)
        try:
            DESCRIPTION.validate_request(request)
        except Exception as wrong:  # what the description says is the answer here, whatever its class
            self.faults.append(f"{seen.method} {path}: {wrong!r}: {wrong.__cause__!r}")

    def _check_answer(self, seen: Seen, path: str, given: Planned) -> None:
        request = MockRequest("http://x", seen.method.lower(), path)
        response = MockResponse(json.dumps(given.body).encode(), given.status)
        try:
            DESCRIPTION.validate_response(request, response)
        except Exception as wrong:
            self.faults.append(f"our own answer to {seen.method} {path}: {wrong!r}: {wrong.__cause__!r}")


def _handler(github: FakeGitHub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Quiet."""

        def _serve(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else None
            seen = Seen(self.command, self.path, {name.lower(): text for name, text in self.headers.items()}, body)
            github.requests.append(seen)
            given = github.answer(seen)
            data = b"" if given.body is None else json.dumps(given.body).encode()
            self.send_response(given.status)
            for name, text in given.headers.items():
                self.send_header(name, text)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    for verb in ("GET", "POST", "PATCH"):
        setattr(Handler, f"do_{verb}", Handler._serve)
    return Handler


def _user(login: str, kind: str) -> dict[str, Any]:
    url = "https://example.org/x"
    names = ("avatar_url", "url", "html_url", "followers_url", "following_url", "gists_url", "starred_url")
    more = ("subscriptions_url", "organizations_url", "repos_url", "events_url", "received_events_url")
    links = dict.fromkeys((*names, *more), url)
    return {"login": login, "id": 1, "node_id": "n", "gravatar_id": "", "type": kind, "site_admin": False, **links}


def _comment(number: int, body: str, login: str, kind: str) -> dict[str, Any]:
    url = f"https://example.org/{number}"
    stamps = {"created_at": INSTANT, "updated_at": INSTANT}
    links = {"url": url, "html_url": url, "issue_url": url}
    return {"id": number, "node_id": "n", "body": body, "user": _user(login, kind), **links, **stamps} | {
        "author_association": "NONE"
    }


def _check_run(number: int, body: dict[str, Any]) -> dict[str, Any]:
    """`annotations`: all that were sent, in order; `shown`: what the server answers."""
    return {"sent": [body], "annotations": list(body["output"]["annotations"]), "shown": _shown(number, body)}


def _continued(run: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    run["sent"].append(body)
    run["annotations"] += body["output"]["annotations"]
    run["shown"] |= {"status": body["status"], "conclusion": body.get("conclusion")}
    shown: dict[str, Any] = run["shown"]
    return shown


def _shown(number: int, body: dict[str, Any]) -> dict[str, Any]:
    output = {
        "title": None,
        "summary": None,
        "text": None,
        "annotations_count": 0,
        "annotations_url": "https://example.org",
    }
    return {
        "id": number,
        "head_sha": body["head_sha"],
        "node_id": "n",
        "external_id": None,
        "url": "https://example.org",
        "html_url": None,
        "details_url": None,
        "status": body.get("status", "queued"),
        "conclusion": body.get("conclusion"),
        "started_at": None,
        "completed_at": None,
        "output": output,
        "name": body["name"],
        "check_suite": None,
        "app": None,
        "pull_requests": [],
    }
