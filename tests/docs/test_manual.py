"""README and docs say what is so: commands run, links lead somewhere, tables equal the code."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from docs import manual
from docs.manual import Block
from hooks.ground import ROOT
from tenure.faces.cli import main, verbs
from tenure.model import errors, keys

PAGES = manual.pages()
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
_INLINE = re.compile(r"`([^`\n]+)`")


def _prose(text: str) -> Iterator[str]:
    """Lines outside fenced blocks."""
    fence = ""
    for line in text.split("\n"):
        mark = line.strip()[:3]
        if mark in ("```", "~~~"):
            fence = "" if fence else mark
        elif not fence:
            yield line


def _tables(name: str, head: str) -> list[list[list[str]]]:
    """The rows of every table of a page whose first column is headed so, a list of cells each."""
    found: list[list[list[str]]] = []
    inside = False
    for line in _prose((ROOT / name).read_text(encoding="utf-8")):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
        if line.startswith(f"| {head} |"):
            inside = True
            found.append([])
        elif inside and line.startswith("|"):
            if set(line) - set("|-: "):
                found[-1].append(cells)
        else:
            inside = False
    return found


@pytest.mark.parametrize("name", [name for page, name in zip(PAGES, NAMES, strict=True) if "```" in page.read_text()])
def test_each_command_of_the_manual_runs_and_answers_as_shown(name: str, tmp_path: Path) -> None:
    """Every `console` and `sh` block, in a sealed world."""
    wrong = manual.walk(ROOT / name, tmp_path)
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.parametrize("name", NAMES)
def test_each_link_leads_to_a_file_or_a_heading(name: str) -> None:
    """Links into the repository; what is elsewhere on the web is not asked for."""
    page = ROOT / name
    for target in [found for line in _prose(page.read_text(encoding="utf-8")) for found in _LINK.findall(line)]:
        if target.startswith(("https://", "http://", "mailto:")):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{name}: {target}"
        if anchor:
            assert anchor in _anchors(there), f"{name}: {target}"


def _anchors(page: Path) -> set[str]:
    heads = [line.lstrip("#").strip() for line in _prose(page.read_text(encoding="utf-8")) if line.startswith("#")]
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("name", NAMES)
def test_each_verb_and_flag_that_the_manual_names_is_there(name: str) -> None:
    """`tenure verb --flag` in running text: a verb of the table, a flag of its parser."""
    for line in _prose((ROOT / name).read_text(encoding="utf-8")):
        for code in _INLINE.findall(line):
            words = code.split()
            if len(words) > 1 and words[0] == "tenure" and words[1][0].isalpha():
                _known(name, words[1], [word for word in words[2:] if re.fullmatch(r"--[a-z-]+", word)])


def _known(where: str, verb: str, flags: list[str]) -> None:
    found = verbs.find(verb)
    assert found, f"{where}: there is no verb {verb}"
    parser = main.parser_of(found)
    help_text = parser.format_help() + "".join(_ways(parser))
    for flag in flags:
        assert flag in help_text or flag in ("--json", "--quiet"), f"{where}: {verb} has no {flag}"


def _ways(parser: object) -> Iterator[str]:
    for action in parser._actions:  # type: ignore[attr-defined]
        if isinstance(action.choices, dict):
            yield from (one.format_help() for one in action.choices.values())


def test_every_next_command_that_the_source_names_is_there() -> None:
    """§10: `  -> command to run next` is a command that exists."""
    for path in (ROOT / "src").rglob("*.py"):
        for verb in re.findall(r'["(]tenure ([a-z]+) ?[^"]*"', path.read_text(encoding="utf-8")):
            if path.name != "shims.py" and verb not in ("needs", "demo"):
                assert verbs.find(verb), f"{path.name}: tenure {verb}"


def test_readme_keeps_to_its_length() -> None:
    """140 lines at most; ank comes in the third paragraph."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 140
    paragraphs = [one for one in text.split("\n\n") if not one.startswith("#")]
    assert [("ank" in re.findall(r"\w+", one)) for one in paragraphs[:3]] == [False, False, True]


def test_the_tables_of_settings_equal_the_code() -> None:
    """Every key, its default, what it does: as `model/keys` has them."""
    own, shared = _tables("README.md", "key")
    assert own == [[f"`{key.name}`", key.default, key.does] for key in keys.GIT]
    assert shared == [[f"`{key.name}`", key.default, key.does] for key in keys.SHARED]


def test_the_list_of_settings_is_what_the_source_reads() -> None:
    """R-X5: no key is read that is not listed, none listed that is not read."""
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    text += "".join(path.read_text() for path in (ROOT / "hooks").iterdir())
    read = set(re.findall(r'(?:(?:get|flag|all)\(|_duration\(config, )"(tenure\.\w+)"', text))
    read |= {name.lower() for name in re.findall(r"--get (tenure\.\w+)", text)}
    assert read == {key.name.lower() for key in keys.GIT}
    settings = (ROOT / "src/tenure/model/settings.py").read_text()
    body = settings[settings.index("def parse_shared") : settings.index("def light_config")]
    assert re.findall(r'take\("(\w+)"', body) == [key.name for key in keys.SHARED]


def test_the_table_of_exit_codes_equals_the_code() -> None:
    """§10: each class of error once, with the sentence of its docstring."""
    (rows,) = _tables("README.md", "exit")
    classes = errors.TenureError.__subclasses__()
    told = [[str(one.code), (one.__doc__ or "").partition(": ")[2].rstrip(".")] for one in classes]
    assert rows == [["0", "done"], *[row for row in told if row[0] in "123456789"]]


def test_the_table_of_verbs_equals_the_code() -> None:
    """§10: every verb that people type, what it does, the keys of its document."""
    rows = [row for table in _tables("docs/verbs.md", "verb") for row in table]
    shown = [one for group in ("begin", "work", "look", "keep") for one in verbs.VERBS if one.group == group]
    assert rows == [[f"`{one.name}`", one.summary, ", ".join(f"`{key}`" for key in one.keys)] for one in shown]


def test_each_yaml_block_is_yaml() -> None:
    """What is to be pasted into a workflow can be read."""
    for page in PAGES:
        for block in manual.blocks(page.read_text(encoding="utf-8")):
            if block.language in ("yaml", "yml"):
                yaml.safe_load("\n".join(block.lines))


def test_every_block_says_what_it_is() -> None:
    """Commands cannot hide from the test in a block without a language; a picture or a text may have none."""
    for page in PAGES:
        for block in manual.blocks(page.read_text(encoding="utf-8")):
            if block.language not in ("sh", "console", "setup"):
                odd = [line for line in block.lines if line.startswith(("$ ", "tenure ", "git "))]
                assert not odd, f"{page.name}:{block.at}: {odd[0]}"


def test_a_wrong_answer_in_the_manual_is_found(tmp_path: Path) -> None:
    """The walk itself can fail: another answer, a missing line, an answer too many, a command that fails."""
    assert manual.fits(["claimed TASK-820d259af6a7 x -> HEAD"], "claimed TASK-0123456789ab x -> HEAD\n")
    assert not manual.fits(["claimed TASK-820d259af6a7 x -> HEAD"], "claimed TASK-0123456789ab y -> HEAD\n")
    assert not manual.fits(["one"], "one\ntwo\n")
    assert not manual.fits(["one", "two"], "one\n")
    assert not manual.fits([], "one\n")
    assert manual.fits(["one", "...", "four"], "one\ntwo\nthree\nfour\n")
    page = ROOT / "docs" / "nowhere.md"
    world = manual.World(tmp_path)
    assert world.run("false")[0] == 1 and world.run("cd .. && export MARK=1")[0] == 0
    assert world.run('basename "$PWD"; echo $MARK')[1].split("\n")[1] == "1"
    assert not page.exists()


def test_blocks_and_calls_are_read_as_they_stand() -> None:
    """The reader of the manual: languages, hidden set-up, lines that go on."""
    text = "a\n<!-- setup\none\n-->\n```console\n$ two \\\n  three\nanswer\n\n$ four\n```\n"
    hidden, shown = manual.blocks(text)
    assert hidden == Block("setup", ["one"], 2)
    assert [(call.line, call.answer) for call in manual.calls(shown)] == [("two three", ["answer"]), ("four", [])]


def test_no_page_names_this_machine_or_those_who_wrote_it() -> None:
    """What is committed is for everybody."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in listed.split("\0"):
        if name.endswith((".md", ".py", ".yml", ".toml")) and "test_manual" not in name:
            text = (ROOT / name).read_text(encoding="utf-8", errors="replace")
            for word in [f"/{folder}/" for folder in ("home", "work", "root")]:
                assert word not in text, f"{name} names {word}"
