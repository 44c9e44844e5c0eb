"""What a repository settled."""

from __future__ import annotations

import pytest

from tenure.model import settings
from tenure.model.errors import WrongUse
from tenure.model.settings import Config, Shared, Verifier


def test_an_empty_config_has_the_defaults_of_the_format() -> None:
    """Format page G."""
    assert settings.parse_config("schema: 1\n") == Config()
    assert Config().claim_ttl_default == 1800
    assert Config().claim_ttl_max == 7200


def test_every_key_of_the_page_is_read() -> None:
    """Format page G."""
    text = (
        "schema: 1\ncontext_budget: 500\nclaim_ttl_max: 4h\nclaim_ttl_default: 45m\n"
        "default_branch: ' trunk '\npeers:\n  other: ../other\n"
        "verifiers:\n  unit:\n    run: make test\n    timeout: 2m\n    default: true\n"
        "roles:\n  agent:\n    can: [claim]\n    cannot: ['*']\nidentities: {}\n"
        "weight:\n  hot_files: 5\n  plane_bytes: 6\n"
    )
    found = settings.parse_config(text)
    assert (found.context_budget, found.claim_ttl_max, found.claim_ttl_default) == (500, 14400, 2700)
    assert (found.default_branch, found.peers, found.hot_files, found.plane_bytes) == (
        "trunk",
        (("other", "../other"),),
        5,
        6,
    )
    assert found.verifier("unit") == Verifier("unit", "make test", 120, True)
    assert found.verifier("unit@1f2e3d4c5b6a") is not None
    assert found.verifier("other") is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("schema: 1\ncolour: red\n", "unknown key 'colour'"),
        ("schema: 1\nweight:\n  cold: 1\n", "unknown key 'weight.cold'"),
        ("schema: 1\nverifiers:\n  u:\n    run: x\n    shell: y\n", "unknown key 'verifiers.u.shell'"),
        ("schema: 1\nverifiers:\n  u:\n    timeout: 1m\n", "verifiers.u.run is missing: a verifier is a name with"),
        ("schema: 1\nverifiers:\n  u: make\n", "verifiers.u is no mapping: a verifier is a name with `run"),
        ("schema: 1\nverifiers:\n  u:\n    run: x\n    timeout: 30\n", "u.timeout: no duration: '30' .write 30m"),
        ("schema: 2\n", "schema 2"),
        ("claim_ttl_max: 1h\n", "schema is missing"),
        ("schema: 1\nclaim_ttl_max: soon\n", "claim_ttl_max"),
        ("schema: 1\nschema: 1\n", "duplicate key"),
    ],
)
def test_a_wrong_config_is_refused_by_name(text: str, named: str) -> None:
    """Format page G: unknown key refused."""
    with pytest.raises(WrongUse, match=named):
        settings.parse_config(text)


def test_what_a_repository_shares_is_read() -> None:
    """R-X5."""
    text = "renewal: 10m\ntrailers: always\ndefault_branch: trunk\nstrict: true\n"
    text += "identities:\n  ada@example.org: human:ada\n"
    found = settings.parse_shared(text)
    assert found == Shared(600, "always", "trunk", True, (("ada@example.org", "human:ada"),))
    assert found.identity_of("ada@example.org") == "human:ada"
    assert settings.parse_shared("# nothing yet\n") == Shared()


@pytest.mark.parametrize(
    ("text", "named"),
    [("renew: 1m\n", "unknown key 'renew'"), ("strict: maybe\n", "strict"), ("trailers: often\n", "trailers")],
)
def test_an_unknown_key_of_ours_is_named(text: str, named: str) -> None:
    """R-X5."""
    with pytest.raises(WrongUse, match=named):
        settings.parse_shared(text)


@pytest.mark.parametrize(
    "text",
    [
        "schema: 1\n",
        "schema: 1\nclaim_ttl_max: 4h\nclaim_ttl_default: 45m\ndefault_branch: release/1-x\n",
        "schema: 1\nverifiers:\n  u:\n    run: a\n",
        "schema: 1\r\nclaim_ttl_max: 4h\r\n",
        "schema: 1\nclaim_ttl_max: '4h' # a comment\n",
        'schema: 1\nclaim_ttl_max: "4h"\ndefault_branch: "trunk"\n',
        "schema: 1\ndefault_branch: ~\n",
        "{schema: 1, claim_ttl_max: 3h}\n",
    ],
)
def test_the_light_reading_is_the_whole_reading(text: str) -> None:
    """R-X1: without YAML where the lines are plain, with the same answer."""
    whole = settings.parse_config(text)
    assert settings.light_config(text) == (whole.claim_ttl_default, whole.claim_ttl_max, whole.default_branch)
