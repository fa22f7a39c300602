"""Parse YAML without its dangerous parts, and turn its nodes into values, with readers that have a JSON Schema.

Anchors and aliases are refused because a few hundred bytes of them stand for gigabytes, tags because they ask for
types, several documents because only one would be read, and deep nesting because the composer is recursive. YAML itself
never makes a Python object.

A ``Reader`` is called with a node and the dotted name of its key, and raises ``InvalidContentError`` with all mistakes.
So one description of a value checks it and documents it for editors and people (``tools/schemas``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeAlias, TypeVar, get_args

import yaml

from winnow_ci.config.index_reference import HTTPS_URL, URL_FRAGMENT, check_https
from winnow_ci.config.team_files import InvalidContentError, Mistake, Mistakes
from winnow_ci.errors import UsageError, WinnowError, did_you_mean
from winnow_ci.model import KGRAM_LENGTHS, WINDOW_LENGTHS, Selection
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.policy.patterns import MAX_LENGTH, PathPatterns

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
        remedy = "indent by spaces, close quotes and brackets, and quote what starts with * or ["
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


T_co = TypeVar("T_co", covariant=True)
_T = TypeVar("_T")
_U = TypeVar("_U")

Schema: TypeAlias = Mapping[str, Any]
"""What JSON Schema (draft 7) says of some values. A part that takes time to make is a function without arguments.

Two keys are our own: ``see``, the page and heading of the documentation for more; and ``definition``, the name
under which a document has the schema once, for all places that have it."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")

# Patterns of schemas keep to what ECMAScript, Python and Rust read alike: no \d, no \s, no named groups.
PRINTABLE = r"[^\u0000-\u001f\u007f-\u009f]"
"""A pattern of a character that text may have."""
_NOWHERE = rf"(?:\.?/)*\.?$|(?:{PRINTABLE}*/)?\.\.(?:/|$)"
STAYS_BELOW = rf"(?!/|{_NOWHERE}|(?:{PRINTABLE}*/)?\.[Gg][Ii][Tt](?:/|$))"
"""A pattern of the beginning of paths below a folder and outside of ``.git``: what we write must stay there."""


class Reader(Generic[T_co]):
    """Checks a node and turns it into a value; ``schema`` is the same check in JSON Schema, where it can express it."""

    __slots__ = ("_read", "schema")

    def __init__(self, read: Callable[[yaml.Node, str], T_co], schema: Schema) -> None:
        self._read = read
        self.schema = schema

    def __call__(self, node: yaml.Node, key: str) -> T_co:
        """Return the value of the node of a key, or raise ``InvalidContentError`` with its mistakes."""
        return self._read(node, key)

    def described(self, text: str, see: str | None = None, **annotations: Any) -> Reader[T_co]:
        """Return this reader for a key: what that means, and the page and heading of the documentation.

        Without ``see``, that is the page of the mapping around it. ``annotations`` are ``default`` and ``examples``.
        """
        # In draft 7, a reference must be alone.
        schema = {"allOf": [self.schema]} if "definition" in self.schema else self.schema
        page = {"see": see} if see else {}
        return Reader(self._read, {"description": text, **page, **schema, **annotations})

    def into(self, make: Callable[[T_co], _U]) -> Reader[_U]:
        """Return a reader of the same nodes that makes something of their values."""
        return Reader(lambda node, key: make(self._read(node, key)), self.schema)


def reads(schema: Schema) -> Callable[[Callable[[yaml.Node, str], _T]], Reader[_T]]:
    """Make a reader of a function of a node and its key."""
    return lambda read: Reader(read, schema)


def takes(schema: Schema) -> Callable[[Callable[[str], _T]], Reader[_T]]:
    """Make a reader of a function of text, whose errors become mistakes."""

    def decorated(make: Callable[[str], _T]) -> Reader[_T]:
        def read(node: yaml.Node, key: str) -> _T:
            value = text(node, key)
            try:
                return make(value)
            except WinnowError as error:
                raise invalid(node, f"{key}: {error.problem}", error.remedy) from error
            except ValueError as error:
                raise invalid(node, f"{key}: {error}", f"fix or remove {value!r:.60}") from error

        return Reader(read, schema)

    return decorated


def matching(pattern: str) -> Schema:
    """Return the schema of text that a pattern matches as a whole."""
    return {"type": "string", "pattern": f"^(?:{pattern})$"}


def text_like(pattern: str, expected: str, remedy: str, **schema: Any) -> Reader[str]:
    """Return a reader of text that a pattern matches as a whole.

    ``expected`` is said of other values, such as "is not a revision". Of more keys of the ``schema``, ``maxLength`` is
    checked, too.
    """

    @takes({**matching(pattern), **schema})
    def read(value: str) -> str:
        if not re.fullmatch(pattern, value) or len(value) > schema.get("maxLength", len(value)):
            raise UsageError(f"{value!r:.80} {expected}", remedy)
        return value

    return read


@reads(matching(f"{PRINTABLE}*"))
def text(node: yaml.Node, key: str) -> str:
    """Text on one line."""
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

    @reads({"type": "number" if decimals else "integer", "minimum": low, "maximum": high})
    def read(node: yaml.Node, key: str) -> float:
        is_number = isinstance(node, yaml.ScalarNode) and node.tag in {f"{TAG}int", f"{TAG}float"}
        if not is_number or not re.fullmatch(form, node.value) or not low <= float(node.value) <= high:
            shown = node.value if is_number else kind(node)
            problem = f"{key} must be {expected} from {low:,} to {high:,}, not {shown:.40}"
            raise invalid(node, problem, f"write it in decimal and without quotes, such as {key}: {example}")
        return float(node.value) if decimals else int(node.value)

    return read


@reads({"type": "boolean"})
def flag(node: yaml.Node, key: str) -> bool:
    """``true`` or ``false``."""
    if not isinstance(node, yaml.ScalarNode) or node.tag != f"{TAG}bool" or node.value not in {"true", "false"}:
        raise invalid(node, f"{key} must be true or false", f"write {key}: true, or leave it out")
    return bool(node.value == "true")


def hexadecimal(*lengths: int) -> Reader[str]:
    """Return a reader of a hexadecimal number with one of these lengths, in lower case."""
    expected = f"must be {' or '.join(map(str, lengths))} hexadecimal digits"
    remedy = "write the output of sha256sum for the file" if 64 in lengths else "fix it, or remove it"
    return text_like("|".join(f"[0-9A-Fa-f]{{{length}}}" for length in lengths), expected, remedy).into(str.lower)


sha256_digest = hexadecimal(64)


def word_of(*words: str) -> Reader[str]:
    """Return a reader of one of these words."""

    @reads({"type": "string", "enum": words})
    def read(node: yaml.Node, key: str) -> str:
        value = text(node, key)
        if value not in words:
            raise invalid(node, f"{key} cannot be {value!r:.60}", f"write one of {', '.join(words)}")
        return value

    return read


@takes(matching(HTTPS_URL + URL_FRAGMENT))
def https_url(value: str) -> str:
    """An https URL without credentials."""
    check_https(value, "is not an https URL", "name an https URL, or fetch it yourself and name the file")
    return value


@takes({**matching(rf"(?!!|{_NOWHERE}){PRINTABLE}+"), "maxLength": MAX_LENGTH, "definition": "path-pattern"})
def path_pattern(value: str) -> str:
    """A pattern of paths."""
    PathPatterns((value,))
    return value


INVALID = object()
"""In place of a value with a mistake, where values are checked together."""


class Rule(NamedTuple):
    """What the values of a mapping must be together, as a check and in JSON Schema."""

    # Of the values by their keys, the node and its own key. A value may be ``INVALID``. That of an unknown key is: what
    # seems to be missing may be what somebody has misspelled.
    check: Callable[[Mapping[str, Any], yaml.Node, str], None]
    schema: Schema  # keys to add to that of the mapping


def each(item: Reader[_T], *, least: int = 0, make: Callable[[tuple[_T, ...]], Any] = tuple) -> Reader[Any]:
    """Return a reader of a list, of whose values it makes something; one with ``least=1`` must not be empty."""

    @reads({"type": "array", "items": item.schema, **({"minItems": least} if least else {})})
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


def mapping(build: Callable[..., _T], keys: Mapping[str, Reader[Any]], rule: Rule | None = None) -> Reader[_T]:
    """Return a reader of a mapping with these keys, all optional; ``build`` gets values that keep the rule."""
    properties = {name: reader.schema for name, reader in keys.items()}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}

    @reads({**schema, **(rule.schema if rule else {})})
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
            if rule:
                with mistakes.collected():
                    rule.check(values, node, key)
        return build(**values)

    return read


def complete(build: Callable[..., _T], keys: Mapping[str, Reader[Any]], what: str, remedy: str) -> Reader[_T]:
    """Return a reader of a mapping with all of these keys; ``what`` needs them."""

    def check(values: Mapping[str, Any], node: yaml.Node, key: str) -> None:
        missing = " and its ".join(name for name in keys if name not in values)
        if missing and len(values) < len(keys):
            raise invalid(node, f"{key}: {what} needs its {missing}", remedy)

    return mapping(build, keys, Rule(check, {"required": [*keys]}))


_PARAMETERS = "matching.md#which-fingerprints-an-index-keeps"
PARAMETERS: dict[str, Reader[Any]] = {
    "k": number(KGRAM_LENGTHS[0], KGRAM_LENGTHS[-1]).described(
        "Length of a k-gram in tokens. Shorter runs of tokens are never compared.", _PARAMETERS, examples=[16]
    ),
    "w": number(WINDOW_LENGTHS[0], WINDOW_LENGTHS[-1]).described(
        "Length of a window in k-grams. Each run of k + w - 1 tokens has a fingerprint.", _PARAMETERS, examples=[9]
    ),
    "selection": word_of(*get_args(Selection)).described(
        "Which k-grams of a window are kept as fingerprints.", _PARAMETERS, examples=["anchored"]
    ),
}
"""The keys of several files that say how code is fingerprinted."""
