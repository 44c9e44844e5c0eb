"""The one comment, and the check run."""

from __future__ import annotations

import pytest

from action.fake_github import FakeGitHub
from action.made import HOSTILE, contest, edit, refused, report
from tenure.faces.action import checkrun, comment
from tenure.faces.action.comment import MARKER
from tenure.faces.action.github import Api, NotAllowedError
from tenure.faces.action.report import Report
from tenure.model.verdict import Verdict

HEAD = "b" * 40


def post(github: FakeGitHub, told: Report) -> str:
    return comment.post(Api(github.base, github.graphql, "t"), "acme/widgets", 7, told)


def test_a_clean_pull_request_gets_no_comment(github: FakeGitHub) -> None:
    """R-G6, R-G8"""
    assert post(github, report()) == "none"
    assert github.writes == []
    assert github.comments == []


def test_a_finding_gets_one_comment_that_follows_it(github: FakeGitHub) -> None:
    """R-G8: created, kept while it is the same, edited in place when it changed, resolved, and found again."""
    assert post(github, refused()) == "created"
    assert post(github, refused()) == "kept"
    assert len(github.writes) == 1
    assert post(github, refused(edit(), edit(task="TASK-51c2a0f6d418"))) == "edited"
    assert post(github, report()) == "edited"
    assert "resolved" in github.comments[0]["body"]
    assert post(github, report()) == "kept"
    assert post(github, refused()) == "edited"
    assert len(github.comments) == 1
    assert MARKER in github.comments[0]["body"]


def test_what_could_not_be_judged_is_not_called_resolved(github: FakeGitHub) -> None:
    """R-G5, R-G8: what an earlier run found may still be there."""
    post(github, refused())
    told = github.comments[0]["body"]
    assert post(github, report(verdict=Verdict("unverified", unjudged=("its record cannot be read",)))) == "kept"
    assert github.comments[0]["body"] == told
    assert post(github, report()) == "edited"


def test_line_ends_that_the_server_changed_are_no_change(github: FakeGitHub) -> None:
    """R-G8: edited only when it changed."""
    post(github, refused())
    github.comments[0]["body"] = github.comments[0]["body"].replace("\n", "\r\n")
    assert post(github, refused()) == "kept"


def test_a_persons_comment_with_the_marker_is_never_changed(github: FakeGitHub) -> None:
    """R-G8: somebody quoted ours."""
    github.add_comment(f"{MARKER} ha", "mallory")
    assert post(github, refused()) == "created"
    assert github.comments[0]["body"] == f"{MARKER} ha"
    assert post(github, report()) == "edited"
    assert github.comments[0]["body"] == f"{MARKER} ha"


def test_a_comment_of_our_account_that_quotes_the_marker_is_not_ours(github: FakeGitHub) -> None:
    """R-G8: every job token of a repository writes as the same bot, and one may quote what it read."""
    github.add_comment(f"a review found this:\n> {MARKER}", "github-actions[bot]", "Bot")
    assert post(github, refused()) == "created"
    assert github.comments[0]["body"].startswith("a review found this")


def test_a_comment_of_another_bot_is_not_ours(github: FakeGitHub) -> None:
    """R-G8: another token's account."""
    github.add_comment(f"{MARKER} x", "renovate[bot]", "Bot")
    assert post(github, refused()) == "created"
    assert github.comments[0]["body"] == f"{MARKER} x"


def test_a_custom_bots_comment_is_found_again() -> None:
    """R-G8: no account is hard-wired."""
    github = FakeGitHub(viewer="acme-bot")
    assert [post(github, refused()), post(github, refused())] == ["created", "kept"]
    github.close()


def test_where_the_viewer_cannot_be_asked_a_bots_comment_is_ours_and_a_persons_is_not() -> None:
    """R-G8"""
    github = FakeGitHub(viewer=None)
    person = github.add_comment(f"{MARKER} quoted", "mallory")
    person["performed_via_github_app"] = None
    assert [post(github, refused()), post(github, refused())] == ["created", "kept"]
    assert github.comments[0]["body"] == f"{MARKER} quoted"
    github.close()


def test_the_comment_on_the_last_page_is_found() -> None:
    """R-G8"""
    github = FakeGitHub(page=3)
    for number in range(7):
        github.add_comment(f"talk {number}", "ada")
    assert [post(github, refused()), post(github, refused())] == ["created", "kept"]
    github.close()


def test_a_comment_keeps_the_limit_and_counts_what_is_left_off() -> None:
    """R-G6: 65,536 characters, whole findings only."""
    many = [edit(task=f"TASK-{number:012x}", before="x " * 900, after="y " * 900) for number in range(60)]
    text = comment.body(refused(*many))
    assert len(text) <= comment.MOST_CHARACTERS
    assert "more, see the summary of the run." in text
    assert text.count("```") % 2 == 0


def test_foreign_text_in_a_comment_stands_in_code() -> None:
    """R-X3: nobody is mentioned."""
    hostile = edit(holder=HOSTILE, path=HOSTILE, before="```\n@team", after=HOSTILE, excuse=HOSTILE)
    verdict = Verdict("refused", (hostile,), contested=(contest(holder=HOSTILE, actor=HOSTILE, old=HOSTILE),))
    text = comment.body(report(verdict=verdict))
    inside = False
    fence = ""
    for line in text.split("\n"):
        if line.startswith("```") and (not inside or line == fence):
            inside, fence = not inside, "`" * (len(line) - len(line.lstrip("`")))
        elif not inside:
            outside = line.split("`")[::2] if "``" not in line else []
            assert not any("@" in part or "http" in part for part in outside), line


def test_a_token_that_may_not_comment_is_told_so(github: FakeGitHub) -> None:
    """R-G5: a fork's token may read at most."""
    github.plan(200)
    github.planned[0].__dict__["body"] = []
    github.plan(403, "Resource not accessible by integration")
    with pytest.raises(NotAllowedError):
        post(github, refused())


def check(github: FakeGitHub, told: Report) -> int:
    return checkrun.create(Api(github.base, github.graphql, "t"), "acme/widgets", HEAD, told)


@pytest.mark.parametrize(("count", "requests"), [(1, 1), (50, 1), (51, 2), (120, 3)])
def test_a_check_run_takes_fifty_annotations_a_request(github: FakeGitHub, count: int, requests: int) -> None:
    """R-G8: all of them arrive, and it is complete only with the last."""
    told = refused(*[edit(task=f"TASK-{number:012x}", path=f"a/{number}") for number in range(count)])
    assert check(github, told) == count
    [run] = github.check_runs.values()
    assert len(run["sent"]) == requests
    assert [one["path"] for one in run["annotations"]] == [f"a/{number}" for number in range(count)]
    assert [body["status"] for body in run["sent"]] == ["in_progress"] * (requests - 1) + ["completed"]
    assert run["shown"]["conclusion"] == "failure"
    assert run["shown"]["head_sha"] == HEAD


@pytest.mark.parametrize(
    ("told", "conclusion"),
    [
        (report(), "success"),
        (refused(), "failure"),
        (report(verdict=Verdict("refused", (edit(),)), fail_on="none"), "neutral"),
        (report(verdict=Verdict("ok", contested=(contest(),))), "neutral"),
        (report(verdict=Verdict("ok", contested=(contest(),)), fail_on="warning"), "failure"),
        (report(verdict=Verdict("unverified", unjudged=("x",))), "neutral"),
    ],
)
def test_a_check_run_concludes_as_the_step_ends(github: FakeGitHub, told: Report, conclusion: str) -> None:
    """R-G8: never green where something went unjudged."""
    check(github, told)
    assert github.check_runs[1]["shown"]["conclusion"] == conclusion


def test_a_check_run_of_a_huge_report_keeps_every_limit(github: FakeGitHub) -> None:
    """R-G6: the description's own limits are checked by the stand-in."""
    many = [edit(task=f"TASK-{n:012x}", before="é" * 9000, after=HOSTILE * 99, holder=HOSTILE * 9) for n in range(300)]
    assert check(github, refused(*many)) == 300
