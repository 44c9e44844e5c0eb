"""The house: floors, doors, sizes, rules, and what a hook may import (R-X1, R-H6)."""

from __future__ import annotations

import ast
import re
import statistics
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOUSE = ROOT / "src" / "tenure"
FLOORS = ("model", "git", "work", "faces")
# Who starts a process, besides the one door: what it starts is not git, and why it stands there.
STARTERS = {
    "work/background.py": "our own carrier, detached",
    "work/proving.py": "the verifiers of a task",
    "faces/cli/hook.py": "the engine, from a hook manager",
    "faces/cli/stage.py": "the demo's own commands",
}
LONGEST_FILE = 340
LONGEST_FUNCTION = 45
NUMBERS = {"I": 5, "L": 9, "C": 10, "F": 4, "K": 6, "A": 5, "H": 8, "G": 8, "X": 6}

FILES = sorted(HOUSE.rglob("*.py"))
NAMES = [str(path.relative_to(HOUSE)) for path in FILES]


def _imports(path: Path, lazy: bool = True) -> set[str]:
    """The modules of the package that a file imports, but for its types; without `lazy` only at the top."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(_nodes(tree)) if lazy else [node for node in _nodes(tree) if node in tree.body]
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return {name for name in found if name.startswith("tenure.")}


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        yield node
        yield from _nodes(node)


def _module(path: Path) -> str:
    return "tenure." + ".".join(path.relative_to(HOUSE).with_suffix("").parts)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_imports_only_from_its_floor_and_those_below(name: str) -> None:
    """Four floors: model, git, work, faces."""
    own = name.split("/")[0]
    if own not in FLOORS:
        return
    above = FLOORS[FLOORS.index(own) + 1 :]
    wrong = [one for one in _imports(HOUSE / name) if one.split(".")[1] in above]
    assert not wrong, f"{name} imports {wrong}"


def test_there_is_no_cycle_of_imports() -> None:
    """Imports at the top of modules form no ring."""
    modules = {_module(path): path for path in FILES}
    edges = {name: {one for one in _imports(path, lazy=False) if one in modules} for name, path in modules.items()}
    left = dict(edges)
    while left:
        free = [name for name, needs in left.items() if not needs & left.keys() - {name}]
        assert free, f"a ring among {sorted(left)}"
        for name in free:
            del left[name]


def test_one_door_to_git() -> None:
    """R-X1: only the git floor starts git or opens a repository; who starts something else is named here."""
    told = {}
    for name, path in zip(NAMES, FILES, strict=True):
        text = path.read_text(encoding="utf-8")
        if name.startswith("git/"):
            continue
        assert "import pygit2" not in text, name
        if re.search(r"\bimport subprocess\b|posix_spawn|os\.exec|os\.system|os\.popen", text):
            told[name] = text
    assert set(told) == set(STARTERS)
    for name, text in told.items():
        assert not re.search(r'\[\s*"git"', text), f"{name} starts git"


@pytest.mark.parametrize("name", NAMES)
def test_the_model_is_pure(name: str) -> None:
    """No file, process, socket, clock or environment on the lowest floor."""
    if name.startswith("model/"):
        text = (HOUSE / name).read_text(encoding="utf-8")
        assert not re.search(r"^\s*(import|from) (os|subprocess|socket|shutil|pathlib)\b", text, re.MULTILINE)
        assert not re.search(r"time\.(time|monotonic)|datetime\.now|\bopen\(|os\.environ|getenv", text), name


def test_files_and_functions_keep_to_a_size() -> None:
    """A module of some 300 lines is split; a function is a screen's third."""
    lengths = []
    for name, path in zip(NAMES, FILES, strict=True):
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= LONGEST_FILE, f"{name} has {text.count(chr(10))} lines"
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                size = (node.end_lineno or 0) - node.lineno + 1
                lengths.append(size)
                assert size <= LONGEST_FUNCTION, f"{name}: {node.name} has {size} lines"
    assert statistics.median(lengths) <= 12
    assert sorted(lengths)[len(lengths) * 95 // 100] <= 25


@pytest.mark.parametrize("name", NAMES)
def test_public_functions_and_modules_say_what_they_do(name: str) -> None:
    """Docstrings on modules, and on public functions of model, git and work."""
    tree = ast.parse((HOUSE / name).read_text(encoding="utf-8"))
    if name.endswith("__init__.py") or not tree.body:
        return
    assert ast.get_docstring(tree), name
    if name.split("/")[0] in ("model", "work", "git"):
        bare = [
            node.name
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and node.name[0] != "_" and not ast.get_docstring(node)
        ]
        assert not bare, f"{name}: {bare}"


def test_the_map_of_the_house_names_every_folder_and_no_other() -> None:
    """CONTRIBUTING.md shows a newcomer where things are."""
    lines = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## The map of the house")[1].split("\n")
    named = {line.split()[0].rstrip("/") for line in lines if re.match(r" {4,6}[\w/.]+/? +\S", line)}
    inside = {str(path.parent.relative_to(HOUSE)) for path in FILES} - {".", "faces"}
    tops = {path.name for path in ROOT.iterdir() if path.is_dir() and path.name[0] not in "._"}
    made = {"build", "dist", "node_modules", "src"}
    assert named - {"action.yml", "src/tenure", "docs/decisions"} == inside | (tops - made)


def _rules() -> list[tuple[str, str]]:
    """Rule and module of the table in docs/rules.md."""
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    return re.findall(r"^\| (R-[A-Z]\d+) \| .* \| `([\w/]+)` \|$", text, re.MULTILINE)


def test_each_rule_is_decided_in_exactly_one_module_that_names_it() -> None:
    """The table of rules is whole, and each module in it speaks of its rule."""
    wanted = [f"R-{letter}{number}" for letter, most in NUMBERS.items() for number in range(1, most + 1)]
    assert [rule for rule, _ in _rules()] == wanted
    for rule, module in _rules():
        text = (HOUSE / f"{module}.py").read_text(encoding="utf-8")
        assert re.search(rf"\b{rule}\b", text), f"{module} does not name {rule}"


def test_no_rule_is_named_that_is_not_in_the_table() -> None:
    """In source, hooks and tests."""
    known = {rule for rule, _ in _rules()} | {"R-H9"}
    for folder in ("src", "hooks", "tests"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and path.suffix in (".py", "", ".sh"):
                odd = set(re.findall(r"\bR-[A-Z]\d+\b", path.read_text(encoding="utf-8", errors="replace"))) - known
                assert not odd, f"{path.name}: {odd}"


def test_words_that_name_other_concepts_are_not_used_as_names() -> None:
    """One word for one thing: no function, class or variable is called a heartbeat, a ticket or a steal."""
    for name, path in zip(NAMES, FILES, strict=True):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = getattr(node, "name", None) or getattr(node, "arg", None) or getattr(node, "id", None)
            if isinstance(called, str):
                assert not re.search(r"heartbeat|ticket|steal|\bping\b", called), f"{name}: {called}"


def test_nothing_is_defined_that_nothing_uses() -> None:
    """No dead function, class or constant: each name occurs once more, a private one in its own file."""
    texts = [path.read_text(encoding="utf-8") for path in FILES]
    used = "\n".join([*texts, *(path.read_text() for path in (ROOT / "hooks").iterdir())])
    counts = Counter(re.findall(r"\w+", used))
    for name, text in zip(NAMES, texts, strict=True):
        tree = ast.parse(text)
        named = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        named += [one.id for node in tree.body if isinstance(node, ast.Assign) for one in _names(node)]
        own = Counter(re.findall(r"\w+", text))
        dead = [one for one in named if not one.startswith("__") and (own if one[0] == "_" else counts)[one] < 2]
        assert not dead, f"{name}: {dead}"


def _names(node: ast.Assign) -> list[ast.Name]:
    return [one for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name)]
