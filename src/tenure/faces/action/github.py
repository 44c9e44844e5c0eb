"""GitHub's API over requests: its rate limits, its paging, and a token that leaves for no other host (R-G8).

The base address comes from the environment, so an Enterprise server's `/api/v3` is asked there (R-G5).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests

from tenure import __version__

TRIES = 4
SECONDARY_PAUSE = 60.0
MOST_PAUSE = 600.0  # seconds that one answer may make this step wait
MOST_REDIRECTS = 3
TIMEOUT = (10.0, 30.0)
_MOVED = (301, 302, 303, 307, 308)


class ApiError(Exception):
    """The API did not do it. `status` 0: no answer. The message is a sentence for a warning."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class NotAllowedError(ApiError):
    """The token may not do this: a fork's, Dependabot's, or one without the permission."""


class _Bearer(requests.auth.AuthBase):
    """Keeps requests from taking other credentials out of a .netrc."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._token:
            request.headers["Authorization"] = f"Bearer {self._token}"
        return request


class Api:
    """One server and one token. `pause` waits for so many seconds, `clock` tells seconds UTC."""

    def __init__(
        self,
        base: str,
        graphql: str,
        token: str,
        pause: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._base = base.rstrip("/") + "/"
        self._graphql = graphql
        self._pause = pause
        self._clock = clock
        self._session = requests.Session()
        self._session.auth = _Bearer(token)
        self._session.headers.update(
            {
                "Accept": "application/vnd.github+json",
                "User-Agent": f"tenure/{__version__}",
                "X-GitHub-Api-Version": "2022-11-28",
            }
        )

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """The answer's JSON. `path` is below the base. NotAllowedError, or ApiError with the reason."""
        return _json(self._send(method, urljoin(self._base, path.lstrip("/")), body))

    def pages(self, path: str) -> Iterator[Mapping[str, Any]]:
        """Every object of a list, a hundred a page, for as long as the server names a next page."""
        url: str | None = urljoin(self._base, path.lstrip("/") + ("&" if "?" in path else "?") + "per_page=100")
        seen: set[str] = set()
        while url and url not in seen:
            seen.add(url)
            answer = self._send("GET", url, None)
            rows = _json(answer)
            if not isinstance(rows, list):
                raise ApiError(f"the server's answer to {path} is no list", answer.status_code)
            yield from (row for row in rows if isinstance(row, dict))
            following = answer.links.get("next", {}).get("url")
            url = self._same_host(urljoin(url, following)) if following else None

    def query(self, text: str) -> Mapping[str, Any]:
        """The `data` of a GraphQL query. ApiError where the server says errors or has no such address."""
        found = _json(self._send("POST", self._graphql, {"query": text}))
        held = found.get("data") if isinstance(found, dict) and not found.get("errors") else None
        if not isinstance(held, dict):
            raise ApiError("the server answered the query with errors")
        return held

    def _send(self, method: str, url: str, body: Mapping[str, Any] | None) -> requests.Response:
        for attempt in range(1, TRIES + 1):
            answer = self._once(method, url, body)
            wait = self._wait(answer, attempt) if answer.status_code in (403, 429) else None
            if wait is None:
                break
            if attempt == TRIES or wait > MOST_PAUSE:
                raise ApiError(
                    f"the server limits how often it may be asked (after {attempt} tries)", answer.status_code
                )
            self._pause(wait)
        if answer.status_code in (403, 404):
            reason = f"the token may not do this ({answer.status_code}: {_reason(answer)})"
            raise NotAllowedError(reason, answer.status_code)
        if not answer.ok:
            raise ApiError(f"the server answered {answer.status_code}: {_reason(answer)}", answer.status_code)
        return answer

    def _once(self, method: str, url: str, body: Mapping[str, Any] | None) -> requests.Response:
        for _ in range(MOST_REDIRECTS + 1):
            try:
                answer = self._session.request(method, url, json=body, timeout=TIMEOUT, allow_redirects=False)
            except requests.RequestException as wrong:
                raise ApiError(f"no answer from {urlsplit(url).hostname}: {type(wrong).__name__}") from None
            if answer.status_code not in _MOVED or "Location" not in answer.headers:
                return answer
            if answer.status_code in (301, 302, 303) and method != "GET":
                raise ApiError("the server moved this address; nothing was sent there", answer.status_code)
            url = self._same_host(urljoin(url, answer.headers["Location"]))
        raise ApiError("the server redirects in a circle")

    def _same_host(self, url: str) -> str:
        """The address, if the token may go there."""
        here, there = urlsplit(self._base), urlsplit(url)
        if (there.scheme, there.hostname, there.port) != (here.scheme, here.hostname, here.port):
            raise ApiError(f"the server redirects to another host ({there.hostname}); the token was not sent there")
        return url

    def _wait(self, answer: requests.Response, attempt: int) -> float | None:
        """Seconds before the next try; None where it is no limit but a refusal."""
        after = answer.headers.get("Retry-After", "").strip()
        if after.isdigit():
            return float(after)
        if answer.headers.get("x-ratelimit-remaining") == "0":
            reset = answer.headers.get("x-ratelimit-reset", "")
            return max(1.0, float(reset) - self._clock()) if reset.isdigit() else SECONDARY_PAUSE
        if answer.status_code == 429 or "secondary rate limit" in _reason(answer).lower():
            return SECONDARY_PAUSE * 2.0 ** (attempt - 1)
        return None


def _json(answer: requests.Response) -> Any:
    try:
        return answer.json() if answer.content else {}
    except ValueError:
        raise ApiError("the server's answer is no JSON", answer.status_code) from None


def _reason(answer: requests.Response) -> str:
    """The server's own words, short."""
    try:
        found = answer.json()
    except ValueError:
        return answer.reason or "no reason"
    text = found.get("message") if isinstance(found, dict) else None
    return text[:200] if isinstance(text, str) and text else answer.reason or "no reason"
