"""Adds sources to the text of a manifest, and leaves everything else as people have written it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from winnow_ci.config.manifest_file import parse_manifest
from winnow_ci.config.manifest_source import source_reader
from winnow_ci.config.mistakes import InvalidContentError
from winnow_ci.config.yaml_nodes import root_of
from winnow_ci.errors import ConfigError, UsageError
from winnow_ci.start_up import replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from winnow_ci.config.manifest_values import DeclaredSource, Manifest

_HEAD = """\
# The known code that changes are compared with. After an edit: winnow-ci index sync
"""
_INDENT = "  "


def declared_by_keys(values: Mapping[str, Any]) -> DeclaredSource:
    """The source that keys and values of a manifest declare.

    Raises:
        UsageError: a key or a value is invalid.
    """
    node = yaml.compose(_items([values]), yaml.SafeLoader)
    assert isinstance(node, yaml.SequenceNode)
    try:
        return source_reader()(node.value[0], "")
    except InvalidContentError as error:
        first = error.mistakes[0]
        raise UsageError(first.problem, first.remedy) from error


def with_sources_added(written: bytes, added: Sequence[Mapping[str, Any]], path: Path) -> bytes:
    """The text of a manifest with more sources.

    Args:
        written: the content of the file; empty if there is none.
        added: keys and values of each source.
        path: of the file.

    Raises:
        ConfigError: the text is invalid, or has a form that nothing can be added to.
    """
    before = parse_manifest(written, path)
    after = _edited(written.decode("utf-8-sig"), _items(added)).encode()
    after = b"\xef\xbb\xbf" * written.startswith(b"\xef\xbb\xbf") + after
    try:
        is_right = _is_longer(before, parse_manifest(after, path), [declared_by_keys(one) for one in added])
    except ConfigError:
        is_right = False
    if not is_right:
        item = yaml.safe_dump([dict(added[0])], default_flow_style=True, sort_keys=False, width=1 << 20).strip()[1:-1]
        raise ConfigError(f"{path}: written in a form that cannot be added to", f"add to its sources: - {item}")
    return after


def _items(added: Sequence[Mapping[str, Any]]) -> str:
    """A list of sources, in YAML."""
    listed = [values["purl"] if values.keys() == {"purl"} else dict(values) for values in added]
    return str(yaml.safe_dump(listed, sort_keys=False, width=1 << 20, allow_unicode=True))


def _is_longer(before: Manifest, after: Manifest, added: Sequence[DeclaredSource]) -> bool:
    same = replace(before, sources=()) == replace(after, sources=())
    return same and (*before.sources, *added) == after.sources


def _edited(text: str, items: str) -> str:
    ending = "\r\n" if "\r\n" in text else "\n"
    # Unlike ``splitlines``, which also splits at other characters.
    lines = (text.replace("\r\n", "\n") or _HEAD).removesuffix("\n").split("\n")
    root = root_of(text.encode())
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    found = next(((key, value) for key, value in pairs if key.value == "sources"), None)
    if found is None:
        lines.append("sources:")
        at, indent = len(lines), _INDENT
    else:
        at, indent = _place(lines, *found)
    new = [f"{indent}{line}" for line in items.splitlines()]
    return ending.join([*lines[:at], *new, *lines[at:], ""])


def _place(lines: list[str], key: yaml.Node, sources: yaml.Node) -> tuple[int, str]:
    """The number of the line to insert before, and the indentation; an empty list is removed from ``lines``."""
    if isinstance(sources, yaml.SequenceNode) and sources.value:
        return max(_last_lines(sources)) + 1, " " * sources.start_mark.column
    line = key.start_mark.line
    if isinstance(sources, yaml.SequenceNode) and sources.start_mark.line == sources.end_mark.line == line:
        before, after = lines[line][: sources.start_mark.column], lines[line][sources.end_mark.column :]
        lines[line] = f"{before.rstrip()}{after}"
    return line + 1, _INDENT


def _last_lines(node: yaml.Node) -> Iterator[int]:
    """The last line of each part of a node."""
    if isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        parts = node.value if isinstance(node, yaml.SequenceNode) else [part for pair in node.value for part in pair]
        for part in parts:
            yield from _last_lines(part)
    else:
        # The end of a block of text is the beginning of what follows.
        yield node.end_mark.line - (node.end_mark.column == 0)
