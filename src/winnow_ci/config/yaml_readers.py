"""Parse YAML without its dangerous parts, and turn its nodes into values.

Anchors and aliases are refused because a few hundred bytes of them stand for gigabytes, tags because they ask for
types, several documents because only one would be read, and deep nesting because the composer is recursive. YAML itself
never makes a Python object.

A ``Reader`` is called with a node and the dotted name of its key, and raises ``InvalidContentError`` with all mistakes.
``tools/schemas`` describes the same keys to editors and people; tests compare the two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar, get_args

import yaml

from winnow_ci.config.index_reference import check_https
from winnow_ci.config.team_files import InvalidContentError, Mistake, Mistakes
from winnow_ci.errors import UsageError, WinnowError, did_you_mean
from winnow_ci.model import KGRAM_LENGTHS, WINDOW_LENGTHS, Selection
from winnow_ci.policy.patterns import PathPatterns

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
    """Return the root of the only document in a text, or None; refuse more of YAML than configuration files need."""
    try:
        decoded = text.decode("utf-8-sig")
        _refuse_excess(decoded)
        root: yaml.Node | None = yaml.compose(decoded, _Loader)
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise invalid(line, "not valid UTF-8", "save the file as UTF-8") from error
    except yaml.reader.ReaderError as error:
        line = decoded.count("\n", 0, error.position) + 1
        raise invalid(line, "a control character", "remove it, or write it as an escape in quotes") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        # An unclosed bracket or quote is reported on the line after the last.
        line = min(mark.line, decoded.rstrip("\n").count("\n")) + 1 if mark else 1
        if error.problem == _DEEPER:
            raise _too_deep(line) from error
        remedy = "indent with spaces, close quotes and brackets, and quote what starts with * or ["
        raise invalid(line, f"not valid YAML: {error.problem}", remedy) from error
    return None if isinstance(root, yaml.ScalarNode) and root.tag == f"{TAG}null" else root


def _refuse_excess(text: str) -> None:
    depth = documents = 0
    with Mistakes() as mistakes:
        for event in yaml.parse(text, _Loader):
            with mistakes.collected():
                if getattr(event, "anchor", None) is not None:
                    raise invalid(event, "anchors and aliases (&, *) are not supported", "quote it, or write it out")
                if (tag := getattr(event, "tag", None)) is not None:
                    raise invalid(event, f"tags ({tag!r:.60}) are not supported", "remove the tag, or quote it")
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1:
                raise invalid(event, "a second document", "keep one document: remove the --- line")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _MAX_DEPTH:
                raise _too_deep(line_of(event))


def _too_deep(line: int) -> InvalidContentError:
    return invalid(line, f"nested deeper than {_MAX_DEPTH} levels", "remove the inner levels")


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


_T = TypeVar("_T")
Reader: TypeAlias = Callable[[yaml.Node, str], _T]
"""Checks a node, given the dotted name of its key, and turns it into a value."""
Check: TypeAlias = Callable[[Mapping[str, Any], yaml.Node, str], None]
"""Checks together the values of a mapping by their keys, given its node and its own key. A value may be ``INVALID``."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")

PRINTABLE = r"[^\u0000-\u001f\u007f-\u009f]"
"""A pattern of a character that text may have."""
_NOWHERE = rf"(?:\.?/)*\.?$|(?:{PRINTABLE}*/)?\.\.(?:/|$)"
STAYS_BELOW = rf"(?!/|{_NOWHERE}|(?:{PRINTABLE}*/)?\.[Gg][Ii][Tt](?:/|$))"
"""A pattern of the beginning of paths below a folder and outside of ``.git``: what we write must stay there."""


def takes(make: Callable[[str], _T]) -> Reader[_T]:
    """Make a reader of a function of text, whose errors become mistakes."""

    def read(node: yaml.Node, key: str) -> _T:
        value = text(node, key)
        try:
            return make(value)
        except WinnowError as error:
            raise invalid(node, f"{key}: {error.problem}", error.remedy) from error
        except ValueError as error:
            raise invalid(node, f"{key}: {error}", f"fix or remove {value!r:.60}") from error

    return read


def text_like(pattern: str, expected: str, remedy: str) -> Reader[str]:
    """Return a reader of text that a pattern matches as a whole.

    ``expected`` is said of other values, such as "is not a revision".
    """

    @takes
    def read(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise UsageError(f"{value!r:.80} {expected}", remedy)
        return value

    return read


def text(node: yaml.Node, key: str) -> str:
    """Read text on one line."""
    if not isinstance(node, yaml.ScalarNode) or node.tag in {f"{TAG}null", f"{TAG}merge"}:
        raise invalid(node, f"{key} must be text, not {kind(node)}", f"write {key} as text")
    if node.tag != f"{TAG}str":
        value = f"{node.value:.40}"
        raise invalid(node, f"{key}: {value} is {kind(node)} in YAML, not text", f'quote it: "{value}"')
    value = str(node.value)
    if _CONTROL.search(value):
        raise invalid(node, f"{key}: a control character in {value!r:.60}", "remove it")
    return value


def number(low: int, high: int, *, decimals: bool = False) -> Reader[Any]:
    """Return a reader of a number within bounds, both included: whole, or with or without ``decimals``."""
    # The tag alone would allow 0x10, 010 (eight) and 1:30 (ninety).
    form = r"-?[0-9]{1,9}(\.[0-9]{1,9})?" if decimals else r"[0-9]|[1-9][0-9]{1,8}"
    expected, example = ("a number", high / 2) if decimals else ("a whole number", low)

    def read(node: yaml.Node, key: str) -> float:
        is_number = isinstance(node, yaml.ScalarNode) and node.tag in {f"{TAG}int", f"{TAG}float"}
        if not is_number or not re.fullmatch(form, node.value) or not low <= float(node.value) <= high:
            shown = node.value if is_number else kind(node)
            problem = f"{key} must be {expected} from {low:,} to {high:,}, not {shown:.40}"
            raise invalid(node, problem, f"write it in decimal and without quotes, such as {key}: {example}")
        return float(node.value) if decimals else int(node.value)

    return read


def flag(node: yaml.Node, key: str) -> bool:
    """Read ``true`` or ``false``."""
    if not isinstance(node, yaml.ScalarNode) or node.tag != f"{TAG}bool" or node.value not in {"true", "false"}:
        raise invalid(node, f"{key} must be true or false", f"write {key}: true, or leave it out")
    return bool(node.value == "true")


def hexadecimal(*lengths: int) -> Reader[str]:
    """Return a reader of a hexadecimal number with one of these lengths, in lower case."""
    expected = f"must be {' or '.join(map(str, lengths))} hexadecimal digits"
    remedy = "write the output of sha256sum for the file" if 64 in lengths else "fix it, or remove it"
    digits = text_like("|".join(f"[0-9A-Fa-f]{{{length}}}" for length in lengths), expected, remedy)
    return lambda node, key: digits(node, key).lower()


sha256_digest = hexadecimal(64)


def word_of(*words: str) -> Reader[str]:
    """Return a reader of one of these words."""

    def read(node: yaml.Node, key: str) -> str:
        value = text(node, key)
        if value not in words:
            raise invalid(node, f"{key} cannot be {value!r:.60}", f"write one of {', '.join(words)}")
        return value

    return read


@takes
def https_url(value: str) -> str:
    """Take an https URL without credentials."""
    check_https(value, "is not an https URL", "name an https URL, or fetch it yourself and name the file")
    return value


@takes
def path_pattern(value: str) -> str:
    """Take a pattern of paths."""
    PathPatterns((value,))
    return value


INVALID = object()
"""In place of a value with a mistake, where values are checked together.

That of an unknown key is one, too: what seems to be missing may be what somebody has misspelled."""


def each(item: Reader[_T], *, least: int = 0, make: Callable[[tuple[_T, ...]], Any] = tuple) -> Reader[Any]:
    """Return a reader of a list, of whose values it makes something; one with ``least=1`` must not be empty."""

    def read(node: yaml.Node, key: str) -> Any:
        if not isinstance(node, yaml.SequenceNode):
            raise invalid(node, f"{key} must be a list, not {kind(node)}", f"write {key}: [...]")
        if len(node.value) < least:
            raise invalid(node, f"{key} is empty: nothing would be scanned", f"leave {key} out for all")
        values = []
        with Mistakes() as mistakes:
            for element in node.value:
                with mistakes.collected():
                    values.append(item(element, key))
        return make(tuple(values))

    return read


def mapping(build: Callable[..., _T], keys: Mapping[str, Reader[Any]], check: Check | None = None) -> Reader[_T]:
    """Return a reader of a mapping with these keys, all optional; ``build`` gets values without a mistake."""

    def read(node: yaml.Node, key: str) -> _T:
        if not isinstance(node, yaml.MappingNode):
            problem = f"{key or 'the file'} must be a mapping, not {kind(node)}"
            raise invalid(node, problem, f"its keys are {', '.join(keys)}")
        values: dict[str, object] = {}
        with Mistakes() as mistakes:
            for name_node, value_node in node.value:
                with mistakes.collected():
                    name = text(name_node, f"a key of {key or 'the file'}")
                    if name in values and name in keys:
                        mistakes.add(Mistake(line_of(name_node), f"a second {name}", "keep one of them"))
                    values[name] = INVALID
                    if name not in keys:
                        remedy = did_you_mean(name, keys, f"the keys are {', '.join(keys)}")
                        raise invalid(name_node, f"unknown key {name!r:.60}", remedy)
                    values[name] = keys[name](value_node, f"{key}.{name}" if key else name)
            if check:
                with mistakes.collected():
                    check(values, node, key)
        return build(**values)

    return read


def complete(build: Callable[..., _T], keys: Mapping[str, Reader[Any]], what: str, remedy: str) -> Reader[_T]:
    """Return a reader of a mapping with all of these keys; ``what`` needs them."""

    def check(values: Mapping[str, Any], node: yaml.Node, key: str) -> None:
        missing = " and its ".join(name for name in keys if name not in values)
        if missing and len(values) < len(keys):
            raise invalid(node, f"{key}: {what} needs its {missing}", remedy)

    return mapping(build, keys, check)


PARAMETERS: dict[str, Reader[Any]] = {
    "k": number(KGRAM_LENGTHS[0], KGRAM_LENGTHS[-1]),
    "w": number(WINDOW_LENGTHS[0], WINDOW_LENGTHS[-1]),
    "selection": word_of(*get_args(Selection)),
}
"""The keys of several files that say how code is fingerprinted."""
