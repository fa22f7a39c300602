"""Parse text to YAML nodes, without the dangerous parts of YAML.

Anchors and aliases are refused because a few hundred bytes of them stand for gigabytes, tags because they ask for
types, several documents because only one would be read, and deep nesting because the composer is recursive. The nodes
are checked and read with ``yaml_readers``; YAML itself never makes a Python object.
"""

from __future__ import annotations

from typing import Any

import yaml

from winnow_ci.config.team_files import InvalidContentError, Mistake, Mistakes

TAG = "tag:yaml.org,2002:"
"""The beginning of the tags of YAML's own types."""

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_DEPTH = 20
# The message of newer versions of libyaml for a document that nests too deep for it.
_DEEPER = "exceeded maximum nesting depth"
_KINDS = {
    "bool": "a boolean",
    "int": "a number",
    "float": "a number",
    "timestamp": "a date",
    "null": "nothing",
    "str": "text",
    "seq": "a list",
    "map": "a mapping",
}


def line_of(found: yaml.Node | yaml.Event) -> int:
    """Return the line that a node or an event starts on."""
    return found.start_mark.line + 1 if found.start_mark else 1


def invalid(at: yaml.Node | yaml.Event | int, problem: str, remedy: str) -> InvalidContentError:
    """Make the error for a line, or for the line of a node."""
    return InvalidContentError(Mistake(at if isinstance(at, int) else line_of(at), problem, remedy))


def root_of(text: bytes) -> yaml.Node | None:
    """Return the root of the only document in a text, or None if there is none.

    Raises:
        InvalidContentError: not UTF-8, not YAML, or more of YAML than a configuration file needs.
    """
    try:
        decoded = text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise invalid(line, "not valid UTF-8", "save the file as UTF-8") from error
    try:
        _refuse_excess(decoded)
        root: yaml.Node | None = yaml.compose(decoded, _Loader)
    except yaml.reader.ReaderError as error:
        line = decoded.count("\n", 0, error.position) + 1
        raise invalid(line, "a control character", "remove it, or write it as an escape in quotes") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        # An unclosed bracket or quote is reported on the line after the last.
        line = min(mark.line, decoded.rstrip("\n").count("\n")) + 1 if mark else 1
        if error.problem == _DEEPER:
            raise _too_deep(line) from error
        remedy = "indent by spaces, close quotes and brackets, and quote what starts with * or ["
        raise invalid(line, f"not valid YAML: {error.problem}", remedy) from error
    return None if isinstance(root, yaml.ScalarNode) and root.tag == f"{TAG}null" else root


def _refuse_excess(text: str) -> None:
    depth = documents = 0
    with Mistakes() as mistakes:
        for event in yaml.parse(text, _Loader):
            with mistakes.collected():
                _refuse_reference(event)
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1:
                raise invalid(event, "a second document", "keep one document: remove the --- line")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _MAX_DEPTH:
                raise _too_deep(event)


def _too_deep(at: yaml.Event | int) -> InvalidContentError:
    return invalid(at, f"nested deeper than {_MAX_DEPTH} levels", "remove the inner levels")


def _refuse_reference(event: yaml.Event) -> None:
    if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
        raise invalid(event, "anchors and aliases (&, *) are not supported", "quote it, or write it out")
    if isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent) and event.tag is not None:
        raise invalid(event, f"tags ({event.tag!r:.60}) are not supported", "remove the tag, or quote it")


def joined_nodes(first: yaml.Node | None, second: yaml.Node | None) -> yaml.Node | None:
    """Join two nodes: lists one after the other, mappings key by key; of other values the second counts.

    None says nothing. No mapping of the first has a key twice.
    """
    if first is None or second is None:
        return second or first
    if isinstance(first, yaml.SequenceNode) and isinstance(second, yaml.SequenceNode):
        return _like(second, [*first.value, *second.value])
    if isinstance(first, yaml.MappingNode) and isinstance(second, yaml.MappingNode):
        others = {key.value: (key, value) for key, value in second.value}
        both = [(key, joined_nodes(value, others.pop(key.value, (key, None))[1])) for key, value in first.value]
        return _like(second, [*both, *others.values()])
    return second


def _like(node: yaml.CollectionNode, value: list[Any]) -> yaml.Node:
    return type(node)(node.tag, value, node.start_mark, node.end_mark)


def kind(node: yaml.Node) -> str:
    """Return the kind of value of a node, in people's words."""
    return _KINDS.get(node.tag.removeprefix(TAG), "a special word")
