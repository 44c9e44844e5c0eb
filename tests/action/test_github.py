"""The API client: limits, pages, other addresses, and a token that stays at home."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from action.fake_github import FakeGitHub, Planned
from tenure.faces.action.github import Api, ApiError, NotAllowedError

COMMENTS = "repos/acme/widgets/issues/7/comments"


class Client:
    """An Api whose pauses are written down."""

    def __init__(self, github: FakeGitHub) -> None:
        self.pauses: list[float] = []
        self.api = Api(github.base, github.graphql, "ghs_x", self.pauses.append, lambda: 1_000.0)


@pytest.fixture
def client(github: FakeGitHub) -> Client:
    return Client(github)


@pytest.fixture
def elsewhere() -> Iterator[FakeGitHub]:
    server = FakeGitHub()
    yield server
    server.close()


def test_a_request_carries_the_token_and_says_which_api(github: FakeGitHub, client: Client) -> None:
    """R-G8"""
    client.api.call("POST", COMMENTS, {"body": "x"})
    [seen] = github.requests
    assert seen.headers["authorization"] == "Bearer ghs_x"
    assert seen.headers["accept"] == "application/vnd.github+json"
    assert seen.headers["user-agent"].startswith("tenure/")


def test_a_netrc_does_not_replace_the_token(
    github: FakeGitHub, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-G8: requests would take credentials for the host from there."""
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login mallory password x\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    client.api.call("POST", COMMENTS, {"body": "x"})
    assert github.requests[0].headers["authorization"] == "Bearer ghs_x"


def test_every_page_is_read() -> None:
    """R-G8: the comment may stand on the last one."""
    github = FakeGitHub(page=2)
    for number in range(5):
        github.add_comment(str(number), "ada")
    client = Client(github)
    assert [one["body"] for one in client.api.pages(COMMENTS)] == ["0", "1", "2", "3", "4"]
    assert len(github.requests) == 3
    assert "per_page=100" in github.requests[0].path
    github.close()


def test_pages_that_lead_in_a_circle_come_to_an_end(client: Client, github: FakeGitHub) -> None:
    """R-G8: whatever a server or a proxy says is next."""
    again = {"Link": f'<{github.base}/{COMMENTS}?page=2>; rel="next"'}
    github.planned += [Planned(200, [], again)] * 9
    assert list(client.api.pages(COMMENTS)) == []
    assert len(github.requests) == 2


def test_an_enterprise_server_is_asked_below_its_own_path() -> None:
    """R-G5"""
    github = FakeGitHub(prefix="/api/v3", page=1)
    github.add_comment("a", "ada")
    github.add_comment("b", "ada")
    client = Client(github)
    assert len(list(client.api.pages(COMMENTS))) == 2
    assert all(one.path.startswith("/api/v3/repos/acme/widgets/") for one in github.requests)
    github.close()


def test_retry_after_is_honoured(github: FakeGitHub, client: Client) -> None:
    """R-G8"""
    github.plan(429, "slow down", Retry_After="7")
    client.api.call("POST", COMMENTS, {"body": "x"})
    assert client.pauses == [7.0]
    assert len(github.comments) == 1


def test_a_spent_limit_waits_for_its_reset(github: FakeGitHub, client: Client) -> None:
    """R-G8: the clock is the one handed in."""
    github.plan(403, "API rate limit exceeded", x_ratelimit_remaining="0", x_ratelimit_reset="1042")
    client.api.call("POST", COMMENTS, {"body": "x"})
    assert client.pauses == [42.0]


def test_a_secondary_limit_without_a_time_waits_a_minute_at_least_and_gives_up_after_four_tries(
    github: FakeGitHub, client: Client
) -> None:
    """R-G8"""
    github.plan(403, "You have exceeded a secondary rate limit", count=9)
    with pytest.raises(ApiError) as caught:
        client.api.call("POST", COMMENTS, {"body": "x"})
    assert not isinstance(caught.value, NotAllowedError)
    assert len(github.requests) == 4
    assert client.pauses == [60.0, 120.0, 240.0]
    github.planned.clear()


def test_a_wait_that_is_too_long_is_not_waited(github: FakeGitHub, client: Client) -> None:
    """R-G8: a step must end."""
    github.plan(403, "API rate limit exceeded", x_ratelimit_remaining="0", x_ratelimit_reset="9999")
    with pytest.raises(ApiError):
        client.api.call("POST", COMMENTS, {"body": "x"})
    assert client.pauses == []


def test_a_token_that_may_not_is_told_at_once(github: FakeGitHub, client: Client) -> None:
    """R-G5: forks and Dependabot."""
    github.plan(403, "Resource not accessible by integration")
    with pytest.raises(NotAllowedError, match="Resource not accessible by integration"):
        client.api.call("POST", COMMENTS, {"body": "x"})
    assert client.pauses == []
    assert len(github.requests) == 1


def test_the_token_does_not_follow_a_redirect_to_another_host(
    github: FakeGitHub, client: Client, elsewhere: FakeGitHub
) -> None:
    """R-G8: another port is another host."""
    for status in (307, 308):
        github.plan(status, "", Location=elsewhere.base + "/repos/x")
        with pytest.raises(ApiError, match="another host"):
            client.api.call("PATCH", "repos/acme/widgets/issues/comments/1", {"body": "x"})
    github.plan(301, "", Location=elsewhere.base + "/repos/x")
    with pytest.raises(ApiError, match="another host"):
        list(client.api.pages(COMMENTS))
    assert elsewhere.requests == []


def test_a_next_page_on_another_host_is_not_read(github: FakeGitHub, client: Client, elsewhere: FakeGitHub) -> None:
    """R-G8"""
    github.plan(200, "", Link=f'<{elsewhere.base}/x>; rel="next"')
    github.planned[0].__dict__["body"] = []
    with pytest.raises(ApiError, match="another host"):
        list(client.api.pages(COMMENTS))
    assert elsewhere.requests == []


def test_a_repository_that_was_renamed_is_followed_on_the_same_host(github: FakeGitHub, client: Client) -> None:
    """R-G5: 307 keeps method and body; a 301 to a write is not repeated."""
    github.plan(307, "", Location=f"{github.base}/{COMMENTS}")
    client.api.call("POST", COMMENTS, {"body": "x"})
    assert [one["body"] for one in github.comments] == ["x"]
    github.plan(301, "", Location=f"{github.base}/{COMMENTS}")
    with pytest.raises(ApiError, match="moved"):
        client.api.call("POST", COMMENTS, {"body": "y"})
    assert len(github.comments) == 1


def test_an_answer_of_another_shape_is_an_error_with_words(github: FakeGitHub, client: Client) -> None:
    """R-G5"""
    github.plan(200, "not a list")
    with pytest.raises(ApiError, match="no list"):
        list(client.api.pages(COMMENTS))
    github.plan(500, "broken")
    with pytest.raises(ApiError, match="500: broken"):
        client.api.call("POST", COMMENTS, {"body": "x"})


def test_no_server_is_an_error_with_words() -> None:
    """R-G5"""
    api = Api("http://127.0.0.1:9", "http://127.0.0.1:9/graphql", "t")
    with pytest.raises(ApiError, match=r"no answer from 127\.0\.0\.1"):
        api.call("GET", "x")
