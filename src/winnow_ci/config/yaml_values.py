"""The kinds of values in our YAML files: readers that check a node and turn it into a value.

A reader is called with a node and the dotted name of its key. It raises ``InvalidContentError`` with the line of the
node; readers of lists and mappings (``yaml_collections``) with the mistakes of all their parts. Each also says in JSON
Schema what it takes: one description of a value checks it, and tells editors and people of it (``json_schema``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeAlias, TypeVar, get_args

import yaml

from winnow_ci.config.index_reference import HTTPS_URL
from winnow_ci.config.yaml_nodes import TAG, InvalidYamlError
from winnow_ci.model import KGRAM_LENGTHS, WINDOW_LENGTHS, Selection
from winnow_ci.policy.patterns import MAX_LENGTH, PathPatterns

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
U = TypeVar("U")

Schema: TypeAlias = Mapping[str, Any]
"""What JSON Schema (draft 7) says of some values. What takes time to make stands in it as a function without arguments.

Two keys are our own: ``see``, the page and heading of the documentation that tells more; and ``definition``, the name
under which a document has the schema once, for all places that have it."""

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

# Patterns of schemas keep to what ECMAScript, Python and Rust read alike: no \d, no \s, no named groups.
PRINTABLE = r"[^\u0000-\u001f\u007f-\u009f]"
"""A pattern of a character that text may have."""
NOWHERE = rf"(?:\.?/)*\.?$|(?:{PRINTABLE}*/)?\.\.(?:/|$)"
"""A pattern of paths that name nothing below their folder."""


class Reader(Generic[T_co]):
    """Checks a node and turns it into a value.

    Attributes:
        schema: the same check in JSON Schema, as far as that goes.
    """

    __slots__ = ("_read", "schema")

    def __init__(self, read: Callable[[yaml.Node, str], T_co], schema: Schema) -> None:
        self._read = read
        self.schema = schema

    def __call__(self, node: yaml.Node, key: str) -> T_co:
        """The value of a node.

        Raises:
            InvalidContentError: it is none that this reads.
        """
        return self._read(node, key)

    def described(self, text: str, see: str, **annotations: Any) -> Reader[T_co]:
        """This reader, as that of a key which means something.

        Args:
            text: what the key means, in a sentence or two.
            see: the page and heading of the documentation.
            annotations: ``default`` and ``examples``, as in JSON Schema.
        """
        # In draft 7 nothing can stand beside a reference.
        schema = {"allOf": [self.schema]} if "definition" in self.schema else self.schema
        return Reader(self._read, {"description": text, "see": see, **schema, **annotations})

    def into(self, make: Callable[[T_co], U]) -> Reader[U]:
        """A reader of the same nodes that makes something of their values."""
        return Reader(lambda node, key: make(self._read(node, key)), self.schema)


def takes(schema: Schema) -> Callable[[Callable[[yaml.Node, str], T]], Reader[T]]:
    """A decorator that makes a reader of a function."""
    return lambda read: Reader(read, schema)


def matching(pattern: str) -> Schema:
    """The schema of text that a pattern matches as a whole."""
    return {"type": "string", "pattern": f"^(?:{pattern})$"}


@takes(matching(f"{PRINTABLE}*"))
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

    @takes({"type": "integer", "minimum": low, "maximum": high})
    def read(node: yaml.Node, key: str) -> int:
        # The tag alone would let in 0x10, 010 (eight) and 1:30 (ninety).
        plain = node.tag == f"{TAG}int" and re.fullmatch(r"[0-9]|[1-9][0-9]{1,8}", node.value)
        if not plain or not low <= int(node.value) <= high:
            shown = node.value if node.tag == f"{TAG}int" else kind(node)
            problem = f"{key} must be a whole number from {low:,} to {high:,}, not {shown:.40}"
            raise InvalidYamlError(node, problem, f"write it in decimal and without quotes, such as {key}: {low}")
        return int(node.value)

    return read


def decimal(low: int, high: int) -> Reader[float]:
    """A reader of a number with or without decimals within bounds, both included."""

    @takes({"type": "number", "minimum": low, "maximum": high})
    def read(node: yaml.Node, key: str) -> float:
        plain = isinstance(node, yaml.ScalarNode) and re.fullmatch(r"-?\d{1,9}(\.\d{1,9})?", node.value)
        if not plain or node.tag not in {f"{TAG}int", f"{TAG}float"} or not low <= float(node.value) <= high:
            problem = f"{key} must be a number from {low:,} to {high:,}"
            raise InvalidYamlError(node, problem, f"write it in decimal and without quotes, such as {key}: {high / 2}")
        return float(node.value)

    return read


@takes({"type": "boolean"})
def flag(node: yaml.Node, key: str) -> bool:
    """``true`` or ``false``."""
    if not isinstance(node, yaml.ScalarNode) or node.tag != f"{TAG}bool" or node.value not in {"true", "false"}:
        raise InvalidYamlError(node, f"{key} must be true or false", f"write {key}: true, or leave it out")
    return bool(node.value == "true")


def hexadecimal(*lengths: int) -> Reader[str]:
    """A reader of a hexadecimal number with one of these lengths; it is given in lower case."""

    @takes(matching("|".join(f"[0-9A-Fa-f]{{{length}}}" for length in lengths)))
    def read(node: yaml.Node, key: str) -> str:
        value = text(node, key)
        if len(value) not in lengths or not re.fullmatch(r"[0-9A-Fa-f]+", value):
            digits = " or ".join(map(str, lengths))
            problem = f"{key} must be {digits} hexadecimal digits, not {value!r:.80}"
            raise InvalidYamlError(node, problem, _HASH if 64 in lengths else "fix it, or remove it")
        return value.lower()

    return read


sha256 = hexadecimal(64)
"""A reader of the sha256 of a file."""

_FRAGMENT = r"(?:#[^\u0000-\u0020\u007f-\u00a0]*)?"


@takes(matching(HTTPS_URL + _FRAGMENT))
def https_url(node: yaml.Node, key: str) -> str:
    """An https URL without credentials."""
    from winnow_ci.fetching.urls import has_credentials, is_https, shown_url  # noqa: PLC0415 - few need it

    value = text(node, key)
    if not is_https(value):
        remedy = "name an https URL, or fetch it yourself and name the file"
        raise InvalidYamlError(node, f"{key}: {shown_url(value):.200} is not an https URL", remedy)
    if has_credentials(value):
        problem = f"{key}: credentials in {shown_url(value):.200}"
        raise InvalidYamlError(node, problem, "give them in ~/.netrc, and change them where this file was seen")
    if not re.fullmatch(HTTPS_URL + _FRAGMENT, value, re.IGNORECASE):
        problem = f"{key}: {shown_url(value):.200} has a character that no URL has"
        raise InvalidYamlError(node, problem, "write a space as %20, and names of hosts in ASCII (xn--…)")
    return value


def one_of(*values: str) -> Reader[str]:
    """A reader of one of these words."""

    @takes({"type": "string", "enum": values})
    def read(node: yaml.Node, key: str) -> str:
        value = text(node, key)
        if value not in values:
            raise InvalidYamlError(node, f"{key} cannot be {value!r:.60}", f"write one of {', '.join(values)}")
        return value

    return read


def kind(node: yaml.Node) -> str:
    """What people call the kind of value that a node is."""
    return _KINDS.get(node.tag.removeprefix(TAG), "a special word")


@takes({**matching(rf"(?!!|{NOWHERE}){PRINTABLE}+"), "maxLength": MAX_LENGTH, "definition": "path-pattern"})
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


_PARAMETERS = "algorithms.md"
PARAMETERS: dict[str, Reader[Any]] = {
    "k": number(KGRAM_LENGTHS[0], KGRAM_LENGTHS[-1]).described(
        "Length of a k-gram in tokens. Shorter runs of tokens are never compared.", _PARAMETERS, examples=[16]
    ),
    "w": number(WINDOW_LENGTHS[0], WINDOW_LENGTHS[-1]).described(
        "Length of a window in k-grams. Each run of k + w - 1 tokens has a fingerprint.", _PARAMETERS, examples=[9]
    ),
    "selection": one_of(*get_args(Selection)).described(
        "Which k-grams of a window are kept as fingerprints.", _PARAMETERS, examples=["anchored"]
    ),
}
"""The keys that say how code is fingerprinted."""
