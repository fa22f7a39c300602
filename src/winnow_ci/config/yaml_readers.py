"""Turn YAML nodes into values, with readers that report all mistakes and have a JSON Schema.

A ``Reader`` is called with a node and the dotted name of its key, and raises ``InvalidContentError``. So one
description of a value checks it and documents it for editors and people (``tools/schemas``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeAlias, TypeVar, get_args

import yaml

from winnow_ci.config.index_reference import HTTPS_URL, URL_FRAGMENT, check_https
from winnow_ci.config.team_files import Mistakes
from winnow_ci.config.yaml_nodes import TAG, invalid, kind
from winnow_ci.errors import UsageError, WinnowError, did_you_mean
from winnow_ci.model import KGRAM_LENGTHS, WINDOW_LENGTHS, Selection
from winnow_ci.named_tuples import NamedTuple
from winnow_ci.policy.patterns import MAX_LENGTH, PathPatterns

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


# ---- readers of one value --------------------------------------------------------------------------------------


class Reader(Generic[T_co]):
    """Checks a node and turns it into a value; ``schema`` is the same check in JSON Schema, where it can express it."""

    __slots__ = ("_read", "schema")

    def __init__(self, read: Callable[[yaml.Node, str], T_co], schema: Schema) -> None:
        self._read = read
        self.schema = schema

    def __call__(self, node: yaml.Node, key: str) -> T_co:
        """Return the value of the node of a key, or raise ``InvalidContentError`` with its mistakes."""
        return self._read(node, key)

    def described(self, text: str, see: str, **annotations: Any) -> Reader[T_co]:
        """Return this reader for a key: what that means, and the page and heading of the documentation.

        ``annotations`` are ``default`` and ``examples``, as in JSON Schema.
        """
        # In draft 7, a reference must be alone.
        schema = {"allOf": [self.schema]} if "definition" in self.schema else self.schema
        return Reader(self._read, {"description": text, "see": see, **schema, **annotations})

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
        raise invalid(
            node, f"{key}: {node.value:.40} is {kind(node)} in YAML, not text", f'quote it: "{node.value:.40}"'
        )
    value = str(node.value)
    if _CONTROL.search(value):
        raise invalid(node, f"{key}: a control character in {value!r:.60}", "remove it")
    return value


def number(low: int, high: int) -> Reader[int]:
    """Return a reader of a whole number within bounds, both included."""
    # The tag alone would allow 0x10, 010 (eight) and 1:30 (ninety).
    plain = _plain_number("a whole number", r"[0-9]|[1-9][0-9]{1,8}", low, high, low)
    return Reader(plain, {"type": "integer", "minimum": low, "maximum": high}).into(int)


def decimal(low: int, high: int) -> Reader[float]:
    """Return a reader of a number with or without decimals within bounds, both included."""
    plain = _plain_number("a number", r"-?[0-9]{1,9}(\.[0-9]{1,9})?", low, high, high / 2)
    return Reader(plain, {"type": "number", "minimum": low, "maximum": high}).into(float)


def _plain_number(what: str, form: str, low: int, high: int, example: float) -> Callable[[yaml.Node, str], str]:
    def read(node: yaml.Node, key: str) -> str:
        is_number = isinstance(node, yaml.ScalarNode) and node.tag in {f"{TAG}int", f"{TAG}float"}
        if not is_number or not re.fullmatch(form, node.value) or not low <= float(node.value) <= high:
            shown = node.value if is_number else kind(node)
            problem = f"{key} must be {what} from {low:,} to {high:,}, not {shown:.40}"
            raise invalid(node, problem, f"write it in decimal and without quotes, such as {key}: {example}")
        return str(node.value)

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


# ---- readers of lists and mappings -----------------------------------------------------------------------------

INVALID = object()
"""In place of a value with a mistake, where values are checked together."""


class Rule(NamedTuple):
    """What the values of a mapping must be together, as a check and in JSON Schema.

    Attributes:
        check: called with the values by their keys, the node and its own key. A value may be ``INVALID``. That of an
            unknown key is: what seems to be missing may be what somebody has misspelled.
        schema: keys to add to that of the mapping.
    """

    check: Callable[[Mapping[str, Any], yaml.Node, str], None]
    schema: Schema


def requiring(problem: str, remedy: str, *names: str) -> Rule:
    """Return the rule that a mapping has all of these keys; ``problem`` says what needs them."""

    def check(values: Mapping[str, Any], node: yaml.Node, key: str) -> None:
        missing = " and its ".join(name for name in names if name not in values)
        if missing and len(values) < len(names):
            raise invalid(node, f"{key}: {problem} needs its {missing}", remedy)

    return Rule(check, {"required": names})


def each(item: Reader[_T], *, least: int = 0) -> Reader[tuple[_T, ...]]:
    """Return a reader of a list; one with ``least=1`` must not be empty."""

    @reads({"type": "array", "items": item.schema, **({"minItems": least} if least else {})})
    def read(node: yaml.Node, key: str) -> tuple[_T, ...]:
        if not isinstance(node, yaml.SequenceNode):
            raise invalid(node, f"{key} must be a list, not {kind(node)}", f"write {key}: [...]")
        if len(node.value) < least:
            raise invalid(node, f"{key} is empty: nothing would be scanned", f"leave {key} out for all")
        values = []
        with Mistakes() as mistakes:
            for element in node.value:
                with mistakes.collected():
                    values.append(item(element, key))
        return tuple(values)

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
        seen: set[str] = set()
        with Mistakes() as mistakes:
            for name_node, value_node in node.value:
                with mistakes.collected():
                    name = text(name_node, f"a key of {key or 'the file'}")
                    values[name] = INVALID
                    if name not in keys:
                        remedy = did_you_mean(name, keys, f"the keys are {', '.join(keys)}")
                        raise invalid(name_node, f"unknown key {name!r:.60}", remedy)
                    values[name] = keys[name](value_node, f"{key}.{name}" if key else name)
                with mistakes.collected():
                    _refuse_repetition(name_node, keys, seen)
            if rule:
                with mistakes.collected():
                    rule.check(values, node, key)
        return build(**values)

    return read


def _refuse_repetition(name: yaml.Node, keys: Mapping[str, Reader[Any]], seen: set[str]) -> None:
    if isinstance(name, yaml.ScalarNode) and name.value in keys:
        if name.value in seen:
            raise invalid(name, f"a second {name.value}", "keep one of them")
        seen.add(name.value)


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
