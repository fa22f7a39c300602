"""The kinds of values in our YAML files: readers that check a node and turn it into a value.

A reader is a function from a node and the dotted name of its key to a value. It raises ``InvalidContentError`` with the
line of the node; readers of lists and mappings with the mistakes of all their parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias, TypeVar, get_args

import yaml

from winnow_ci.config.mistakes import Mistakes
from winnow_ci.config.yaml_nodes import TAG, InvalidYamlError
from winnow_ci.model import KGRAM_LENGTHS, WINDOW_LENGTHS, Selection
from winnow_ci.policy import PathPatterns
from winnow_ci.suggestions import did_you_mean

T = TypeVar("T")
Reader: TypeAlias = Callable[[yaml.Node, str], T]

INVALID = object()
"""What stands for a value with a mistake where values are checked together."""

Check: TypeAlias = Callable[[Mapping[str, object], yaml.Node], None]
"""Checks the values of a mapping together, by their keys, and is given its node. A value may be ``INVALID``. That of an
unknown key is: what seems to be missing may be what somebody has misspelled."""

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
_HASH = "write what sha256sum prints for the file"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def text(node: yaml.Node, key: str) -> str:
    """Text on one line."""
    if not isinstance(node, yaml.ScalarNode) or node.tag in {f"{TAG}null", f"{TAG}merge"}:
        raise InvalidYamlError(node, f"{key} must be text, not {kind(node)}", f"write {key} as text")
    if node.tag != f"{TAG}str":
        problem = f"{key}: {node.value:.40} is {kind(node)} in YAML, not text"
        raise InvalidYamlError(node, problem, f'quote it: "{node.value:.40}"')
    value = str(node.value)
    if _CONTROL.search(value):
        raise InvalidYamlError(node, f"{key}: a control character in {value!r:.60}", "remove it")
    return value


def number(low: int, high: int) -> Reader[int]:
    """A reader of a whole number within bounds, both included."""

    def read(node: yaml.Node, key: str) -> int:
        # The tag alone would let in 0x10, 010 (eight) and 1:30 (ninety).
        plain = node.tag == f"{TAG}int" and re.fullmatch(r"[0-9]|[1-9][0-9]{1,8}", node.value)
        if not plain or not low <= int(node.value) <= high:
            shown = node.value if node.tag == f"{TAG}int" else kind(node)
            problem = f"{key} must be a whole number from {low:,} to {high:,}, not {shown:.40}"
            raise InvalidYamlError(node, problem, f"write it in decimal and without quotes, such as {key}: {low}")
        return int(node.value)

    return read


def flag(node: yaml.Node, key: str) -> bool:
    """``true`` or ``false``."""
    if not isinstance(node, yaml.ScalarNode) or node.tag != f"{TAG}bool" or node.value not in {"true", "false"}:
        raise InvalidYamlError(node, f"{key} must be true or false", f"write {key}: true, or leave it out")
    return bool(node.value == "true")


def hexadecimal(*lengths: int) -> Reader[str]:
    """A reader of a hexadecimal number with one of these lengths; it is given in lower case."""

    def read(node: yaml.Node, key: str) -> str:
        value = text(node, key)
        if len(value) not in lengths or not re.fullmatch(r"[0-9A-Fa-f]+", value):
            digits = " or ".join(map(str, lengths))
            problem = f"{key} must be {digits} hexadecimal digits, not {value!r:.80}"
            raise InvalidYamlError(node, problem, _HASH if 64 in lengths else "fix it, or remove it")
        return value.lower()

    return read


def sha256(node: yaml.Node, key: str) -> str:
    """The sha256 of a file."""
    return hexadecimal(64)(node, key)


def https_url(node: yaml.Node, key: str) -> str:
    """An https URL without credentials."""
    from winnow_ci.fetching.registry import is_https, shown_url, without_credentials  # noqa: PLC0415 - few need it

    value = text(node, key)
    if not is_https(value):
        remedy = "name an https URL, or fetch it yourself and name the file"
        raise InvalidYamlError(node, f"{key}: {shown_url(value):.200} is not an https URL", remedy)
    if value != without_credentials(value):
        problem = f"{key}: credentials in {shown_url(value):.200}"
        raise InvalidYamlError(node, problem, "give them in ~/.netrc, and change them where this file was seen")
    return value


def one_of(*values: str) -> Reader[str]:
    """A reader of one of these words."""

    def read(node: yaml.Node, key: str) -> str:
        value = text(node, key)
        if value not in values:
            raise InvalidYamlError(node, f"{key} cannot be {value!r:.60}", f"write one of {', '.join(values)}")
        return value

    return read


def each(item: Reader[T]) -> Reader[tuple[T, ...]]:
    """A reader of a list."""

    def read(node: yaml.Node, key: str) -> tuple[T, ...]:
        if not isinstance(node, yaml.SequenceNode):
            raise InvalidYamlError(node, f"{key} must be a list, not {kind(node)}", f"write {key}: [...]")
        values, mistakes = [], Mistakes()
        for element in node.value:
            with mistakes.collected():
                values.append(item(element, key))
        mistakes.refuse()
        return tuple(values)

    return read


def mapping(
    build: Callable[..., T], fields: Mapping[str, Reader[object]], check: Check = lambda _values, _node: None
) -> Reader[T]:
    """A reader of a mapping with these keys, all optional, whose values ``build`` gets once ``check`` has seen them."""

    def read(node: yaml.Node, key: str) -> T:
        if not isinstance(node, yaml.MappingNode):
            problem = f"{key or 'the file'} must be a mapping, not {kind(node)}"
            raise InvalidYamlError(node, problem, f"its keys are {', '.join(fields)}")
        values: dict[str, object] = {}
        mistakes = Mistakes()
        for name_node, value_node in node.value:
            with mistakes.collected():
                name = text(name_node, f"a key of {key or 'the file'}")
                values[name] = INVALID
                if name not in fields:
                    raise InvalidYamlError(name_node, f"unknown key {name!r:.60}", nearest(name, fields))
                values[name] = fields[name](value_node, f"{key}.{name}" if key else name)
        for check_all in (partial(_refuse_repetition, fields), partial(check, values)):
            with mistakes.collected():
                check_all(node)
        mistakes.refuse()
        return build(**values)

    return read


def _refuse_repetition(fields: Mapping[str, Reader[object]], node: yaml.MappingNode) -> None:
    mistakes = Mistakes()
    seen: set[str] = set()
    for name_node, _ in node.value:
        if isinstance(name_node, yaml.ScalarNode) and name_node.value in fields:
            with mistakes.collected():
                if name_node.value in seen:
                    raise InvalidYamlError(name_node, f"a second {name_node.value}", "keep one of the two")
            seen.add(name_node.value)
    mistakes.refuse()


def kind(node: yaml.Node) -> str:
    """What people call the kind of value that a node is."""
    return _KINDS.get(node.tag.removeprefix(TAG), "a special word")


def nearest(name: str, known: Mapping[str, Reader[object]]) -> str:
    """What to do about an unknown key."""
    return did_you_mean(name, known, f"the keys there are {', '.join(known)}")


PARAMETERS: dict[str, Reader[object]] = {
    "k": number(KGRAM_LENGTHS[0], KGRAM_LENGTHS[-1]),
    "w": number(WINDOW_LENGTHS[0], WINDOW_LENGTHS[-1]),
    "selection": one_of(*get_args(Selection)),
}
"""The keys that say how code is fingerprinted."""


def path_pattern(node: yaml.Node, key: str) -> str:
    """A pattern of paths."""
    return accepted(PathPatterns, node, key)


def accepted(build: Callable[[tuple[str, ...]], object], node: yaml.Node, key: str) -> str:
    """Text that a class of patterns accepts."""
    value = text(node, key)
    try:
        build((value,))
    except ValueError as error:
        raise InvalidYamlError(node, f"{key}: {error}", f"fix or remove {value!r:.60}") from error
    return value


def filled(values: Reader[tuple[T, ...]]) -> Reader[tuple[T, ...]]:
    """A reader of a list that is not empty."""

    def read(node: yaml.Node, key: str) -> tuple[T, ...]:
        found = values(node, key)
        if not found:
            raise InvalidYamlError(node, f"{key} is empty: nothing would be looked at", f"leave {key} out for all")
        return found

    return read
