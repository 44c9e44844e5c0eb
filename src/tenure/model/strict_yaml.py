"""PyYAML read strictly: duplicate keys, anchors and half characters refused, text stays text unless plainly a number.

Imported only where the canonical readings of `scalars` and `glance` do not do (R-X1, R-X6).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tenure.model import scalars
from tenure.model.frontmatter import Node, Plain
from tenure.model.text import is_text

try:
    import yaml
except ImportError:  # the hook's interpreter runs without site-packages until an answer needs them
    import site

    site.main()
    import yaml

_DEEPEST = 20
_ENDS = "\0\r\n\x85\u2028\u2029"


class _Loader(yaml.SafeLoader):
    """PyYAML's, which stops at a tab in a plain scalar; YAML and the format's own reader take it for a blank."""

    def scan_plain_spaces(self, indent: int, start_mark: yaml.Mark) -> list[Any] | None:
        length = 0
        while self.peek(length) in " \t":
            length += 1
        blanks = self.prefix(length)
        if "\t" not in blanks:
            return super().scan_plain_spaces(indent, start_mark)
        self.forward(length)
        if self.peek() in _ENDS:
            return super().scan_plain_spaces(indent, start_mark)
        return [blanks]


def load_mapping(text: str) -> dict[str, Any]:
    """A mapping of str keys. ValueError names what is wrong: no mapping, a duplicate key, an alias, bad YAML."""
    return _load(text, plain)


def load_texts(text: str) -> dict[str, Node]:
    """The same mapping with every scalar as its text, `Plain` where it stood without quotes."""
    return _load(text, Plain)


def _load(text: str, resolve: Callable[[str], Any]) -> dict[str, Any]:
    try:
        node = yaml.compose(text, Loader=_Loader)
    except (yaml.YAMLError, RecursionError, ArithmeticError, ValueError) as wrong:  # "\UFFFFFFFF" overflows
        raise ValueError(f"no YAML: {' '.join(str(wrong).split())[:160]}") from None
    if not isinstance(node, yaml.MappingNode):
        raise ValueError("no mapping")
    _no_aliases(text)
    found: dict[str, Any] = _build(node, 0, resolve)
    return found


def _no_aliases(text: str) -> None:
    for token in yaml.scan(text, Loader=_Loader):
        if isinstance(token, yaml.AnchorToken | yaml.AliasToken | yaml.TagToken):
            raise ValueError("anchors, aliases and tags are not read")


def _build(node: yaml.Node, depth: int, resolve: Callable[[str], Any]) -> Any:
    if depth > _DEEPEST:
        raise ValueError("nested too deep")
    if isinstance(node, yaml.MappingNode):
        found: dict[str, Any] = {}
        for key, inner in node.value:
            if not isinstance(key, yaml.ScalarNode) or not is_text(key.value):
                raise ValueError("a key is no text")
            if key.value in found:
                raise ValueError(f"duplicate key {key.value!r}")
            found[key.value] = _build(inner, depth + 1, resolve)
        return found
    if isinstance(node, yaml.SequenceNode):
        return [_build(inner, depth + 1, resolve) for inner in node.value]
    assert isinstance(node, yaml.ScalarNode)
    if not is_text(node.value):
        raise ValueError("half a character (U+D800 to U+DFFF) is escaped in it")
    return node.value if node.style else resolve(node.value)


def plain(text: str) -> scalars.Scalar:
    """A plain scalar by the rules of the format's writer (YAML 1.2 core, serde_yaml): `yes` and instants are text."""
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE", "false", "False", "FALSE"):
        return text.lower() == "true"
    body = text.lstrip("+-")
    if body.isascii() and body.isdigit() and (body == "0" or body[0] != "0") and len(text) - len(body) <= 1:
        return int(text)
    if scalars.reads_as_another_type(text):
        try:
            return float(text)
        except ValueError:
            return text if body[:2] not in ("0x", "0o", "0b") else int(text, 0)
    return text
