"""The board as a page, looked at in a real browser (§10 `board --html`, R-X3)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from board import browser
from team import ADA, AUTH, BOB, GUIDE, Team, claim_text, put

HOSTILE = "</span><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\"> & \u202e 'x'"
EVIL, LATE = "TASK-00000000eeee", "TASK-00000000bbbb"


@pytest.fixture
def page(team: Team) -> Path:
    repo = team.project((AUTH, HOSTILE), (GUIDE, "Write the guide " * 12), (EVIL, "Evil"))
    put(repo, AUTH, claim_text(AUTH, "<b>human:ada</b>", -3000, 200))
    put(repo, GUIDE, claim_text(GUIDE, "human:" + "x" * 150, -600, 6000))
    put(repo, LATE, claim_text(LATE, BOB, -90_000, -60_000))
    repo.tenure("claim", EVIL, ANK_AGENT=ADA)
    repo.tenure("close", EVIL, "--reason", "no", ANK_AGENT=BOB)
    repo.git("checkout", "-q", "--", ".ank")
    repo.tenure("claim", EVIL, ANK_AGENT=BOB)
    repo.tenure("done", "--proof", f"commit:{repo.ask('rev-parse', 'HEAD')}", ANK_AGENT=BOB)
    repo.tenure("board", "--html", str(team.ground.root / "board.html"), ANK_AGENT=ADA)
    return team.ground.root / "board.html"


def test_the_page_asks_for_nothing_outside_itself(page: Path) -> None:
    """§10: one file; no link, script, image or font is fetched, and a policy in the page forbids it."""
    text = page.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert "<script" not in text and "url(" not in text and "@import" not in text
    assert re.findall(r'(?:src|href)="([^"]*)"', text) == ["data:,"]


def test_a_browser_renders_it_without_a_complaint_and_hostile_titles_stay_text(page: Path) -> None:
    """R-X3: the title is shown as it was written, and does nothing."""
    ask = "[doc.title, doc.body.innerText, doc.querySelectorAll('img, script, b').length]"
    (title, text, foreign), console = browser.rendered(page, 1000, ask)
    assert title.startswith("Claims, ") and foreign == 0
    assert "<script>document.title='taken'</script>" in text and "<b>human:ada</b>" in text
    assert "\u202e" not in text and "\\u202e" in text
    assert console == ""


def test_the_console_of_this_browser_would_tell(page: Path) -> None:
    """The check above can fail: a page with an error in it is heard."""
    page.write_text(page.read_text().replace("</body>", "<img src='nowhere.png'></body>"))
    assert browser.rendered(page, 1000, "doc.title")[1] != ""


def test_live_claims_are_bars_on_an_axis_in_utc(page: Path) -> None:
    """§10: a bar each, its length and place by its instants; now lies between beginning and end of a live one."""
    ask = """[[...doc.querySelectorAll('.track')].map(track =>
        [track.querySelector('.bar'), track.querySelector('.now'), track].map(one => {
            const box = one.getBoundingClientRect();
            return [box.left, box.right];
        })), [...doc.querySelectorAll('.axis span')].map(one => one.textContent)]"""
    (tracks, ticks), _ = browser.rendered(page, 1000, ask)
    assert len(tracks) == 2
    for bar, now, track in tracks:
        assert track[0] <= bar[0] < now[0] < bar[1] <= track[1] + 1
    first, second = (bar for bar, _, _ in tracks)
    assert first[1] < second[1] and first[0] < second[0]
    assert len(ticks) >= 2 and all(re.fullmatch(r"\d\d:\d\d", one) for one in ticks)


def test_it_can_be_read_at_400_pixels_in_light_and_in_dark(page: Path) -> None:
    """§10: nothing is cut off at the side, text keeps a size and a contrast that can be read."""
    ask = """[doc.documentElement.scrollWidth, [...doc.querySelectorAll('p, .title, h1, h2')].map(one =>
        parseFloat(doc.defaultView.getComputedStyle(one).fontSize))]"""
    (width, sizes), console = browser.rendered(page, 400, ask)
    assert width <= 400 and min(sizes) >= 16 and console == ""
    for palette in re.findall(r"\{ ?(?:color-scheme: light dark;)?\s*(--ground.*?)\}", page.read_text(), re.DOTALL):
        colours = dict(re.findall(r"--(\w+): (#\w{6})", palette))
        for name in ("text", "dim", "warn"):
            assert _contrast(colours[name], colours["card"]) >= 4.5, name
    assert page.read_text().count("--ground:") == 2


def test_a_screenshot_of_it_is_no_blank_sheet(page: Path, tmp_path: Path) -> None:
    """The browser draws it: a picture of many different bytes, not one colour."""
    browser.screenshot(page, tmp_path / "shot.png")
    assert (tmp_path / "shot.png").stat().st_size > 20_000


def _contrast(one: str, other: str) -> float:
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
