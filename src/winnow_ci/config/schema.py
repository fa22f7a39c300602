"""The keys of ``.winnow.yml`` and what each may hold; from YAML nodes to settings.

The schema stands at the end. All else here are the few kinds of values that it is made of: each is a function
from a node and the dotted name of its key to a value, which raises ``InvalidError`` with the node's line.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar, get_args

import yaml

from winnow_ci.config.document import TAG, InvalidError, line_of
from winnow_ci.config.settings import BUILTINS, PinnedIndex, ReportThresholds, Settings, Snippet
from winnow_ci.languages import resolve
from winnow_ci.model import KGRAM_LENGTHS, WINDOW_LENGTHS, Selection
from winnow_ci.policy import LicensePolicy, PathPatterns, SourcePatterns

T = TypeVar("T")
Reader: TypeAlias = Callable[[yaml.Node, str], T]

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
_BUILTIN = "builtin:"
_LATER = "not available in this version"
_PINNED = "write {url: https://…, sha256: …}; sha256sum tells it"
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


# ---- kinds of values -------------------------------------------------------------------------------------------


def _text(node: yaml.Node, key: str) -> str:
    if not isinstance(node, yaml.ScalarNode) or node.tag in {f"{TAG}null", f"{TAG}merge"}:
        raise InvalidError(line_of(node), f"{key} must be text, not {_kind(node)}", f"write {key} as text")
    if node.tag != f"{TAG}str":
        problem = f"{key}: {node.value:.40} is {_kind(node)} in YAML, not text"
        raise InvalidError(line_of(node), problem, f'quote it: "{node.value:.40}"')
    value = str(node.value)
    if _CONTROL.search(value):
        raise InvalidError(line_of(node), f"{key}: a control character in {value!r:.60}", "remove it")
    return value


def _number(low: int, high: int) -> Reader[int]:
    def read(node: yaml.Node, key: str) -> int:
        # The tag alone would let in 0x10, 010 (eight) and 1:30 (ninety).
        plain = node.tag == f"{TAG}int" and re.fullmatch(r"[0-9]|[1-9][0-9]{1,8}", node.value)
        if not plain or not low <= int(node.value) <= high:
            shown = node.value if node.tag == f"{TAG}int" else _kind(node)
            problem = f"{key} must be a whole number from {low:,} to {high:,}, not {shown:.40}"
            raise InvalidError(line_of(node), problem, f"write it in decimal and without quotes, such as {key}: {low}")
        return int(node.value)

    return read


def _one_of(*values: str) -> Reader[str]:
    def read(node: yaml.Node, key: str) -> str:
        value = _text(node, key)
        if value not in values:
            raise InvalidError(line_of(node), f"{key} cannot be {value!r:.60}", f"write one of {', '.join(values)}")
        return value

    return read


def _each(item: Reader[T]) -> Reader[tuple[T, ...]]:
    def read(node: yaml.Node, key: str) -> tuple[T, ...]:
        if not isinstance(node, yaml.SequenceNode):
            raise InvalidError(line_of(node), f"{key} must be a list, not {_kind(node)}", f"write {key}: [...]")
        return tuple(item(element, key) for element in node.value)

    return read


def _fields(build: Callable[..., T], fields: dict[str, Reader[object]]) -> Reader[T]:
    def read(node: yaml.Node, key: str) -> T:
        if not isinstance(node, yaml.MappingNode):
            problem = f"{key or 'the file'} must be a mapping, not {_kind(node)}"
            raise InvalidError(line_of(node), problem, f"its keys are {', '.join(fields)}")
        values: dict[str, object] = {}
        for name_node, value_node in node.value:
            name = _text(name_node, f"a key of {key or 'the file'}")
            if name in values:
                raise InvalidError(line_of(name_node), f"a second {name}", "keep one of the two")
            if name not in fields:
                raise InvalidError(line_of(name_node), f"unknown key {name!r:.60}", _nearest(name, fields))
            values[name] = fields[name](value_node, f"{key}.{name}" if key else name)
        return build(**values)

    return read


def _kind(node: yaml.Node) -> str:
    return _KINDS.get(node.tag.removeprefix(TAG), "a special word")


def _nearest(name: str, known: dict[str, Reader[object]]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else f"the keys there are {', '.join(known)}"


# ---- values of single keys -------------------------------------------------------------------------------------


def _path_pattern(node: yaml.Node, key: str) -> str:
    return _accepted(PathPatterns, node, key)


def _licence_pattern(node: yaml.Node, key: str) -> str:
    return _accepted(LicensePolicy, node, key)


def _accepted(build: Callable[[tuple[str, ...]], object], node: yaml.Node, key: str) -> str:
    value = _text(node, key)
    try:
        build((value,))
    except ValueError as error:
        raise InvalidError(line_of(node), f"{key}: {error}", f"mend or remove {value!r:.60}") from error
    return value


def _boilerplate(node: yaml.Node, key: str) -> str | Snippet:
    if isinstance(node, yaml.MappingNode):
        snippet = _fields(dict[str, str], {"language": _language, "text": _code})(node, key)
        if len(snippet) != 2:
            raise InvalidError(line_of(node), f"{key}: a snippet needs its language and its text", "add the other one")
        return Snippet(**snippet)
    value = _path_pattern(node, key)
    if value.startswith(_BUILTIN) and value.removeprefix(_BUILTIN) not in BUILTINS:
        known = ", ".join(f"{_BUILTIN}{name}" for name in BUILTINS)
        raise InvalidError(line_of(node), f"{key}: there is no {value!r:.60}", f"there are {known}")
    return value


def _code(node: yaml.Node, key: str) -> str:
    # A block of YAML may have any character of code; the file has no others than that and line feeds.
    if not isinstance(node, yaml.ScalarNode) or node.tag != f"{TAG}str" or not node.value.strip():
        raise InvalidError(line_of(node), f"{key} must be text, and not empty", f"write {key}: | and the code below it")
    return str(node.value)


def _parted(entries: Reader[tuple[str | Snippet, ...]]) -> Reader[Mapping[str, object]]:
    def read(node: yaml.Node, key: str) -> Mapping[str, object]:
        found = entries(node, key)
        names = [entry for entry in found if isinstance(entry, str)]
        return {
            "boilerplate": PathPatterns(tuple(name for name in names if not name.startswith(_BUILTIN))),
            "snippets": tuple(entry for entry in found if isinstance(entry, Snippet)),
            "builtins": tuple(name.removeprefix(_BUILTIN) for name in names if name.startswith(_BUILTIN)),
        }

    return read


def _index(node: yaml.Node, key: str) -> Path | PinnedIndex:
    if isinstance(node, yaml.MappingNode):
        return _pinned_index(node, key)
    value = _text(node, key)
    if _URL.match(value) and not value.lower().startswith(("http://", "https://")):
        remedy = "fetch the index in a step of its own, and name the file"
        raise InvalidError(line_of(node), f"{key}: an index at {value.partition(':')[0]:.20}:// is {_LATER}", remedy)
    if _URL.match(value):
        raise InvalidError(line_of(node), f"{key}: an index at a URL needs its sha256", _PINNED)
    if not value:
        raise InvalidError(line_of(node), f"{key} has an empty entry", "name an index file or a folder of them")
    return Path(value)


def _pinned_index(node: yaml.MappingNode, key: str) -> PinnedIndex:
    found = _fields(dict[str, str], {"url": _https_url, "sha256": _sha256})(node, key)
    for name in PinnedIndex._fields:
        if name not in found:
            raise InvalidError(line_of(node), f"{key}: an index at a URL needs its {name}", _PINNED)
    return PinnedIndex(**found)


def _https_url(node: yaml.Node, key: str) -> str:
    from winnow_ci.fetching.registry import is_https, shown, without_credentials  # noqa: PLC0415 - few need it

    value = _text(node, key)
    if not is_https(value):
        remedy = "name an https URL, or fetch the index yourself and name the file"
        raise InvalidError(line_of(node), f"{key}: {shown(value):.200} is not an https URL", remedy)
    if value != without_credentials(value):
        problem = f"{key}: credentials in {shown(value):.200}"
        raise InvalidError(line_of(node), problem, "give them in ~/.netrc, and change them where this file was seen")
    return value


def _sha256(node: yaml.Node, key: str) -> str:
    value = _text(node, key)
    if not re.fullmatch(r"[0-9A-Fa-f]{64}", value):
        problem = f"{key} must be 64 hexadecimal digits, not {value!r:.80}"
        raise InvalidError(line_of(node), problem, "write what sha256sum tells of the index")
    return value.lower()


def _language(node: yaml.Node, key: str) -> str:
    value = _text(node, key)
    name = resolve(value)
    if name is None:
        remedy = "use a name or alias that Pygments knows, such as c, python or javascript"
        raise InvalidError(line_of(node), f"{key}: there is no language {value!r:.60}", remedy)
    return name


def _filled(values: Reader[tuple[T, ...]]) -> Reader[tuple[T, ...]]:
    def read(node: yaml.Node, key: str) -> tuple[T, ...]:
        found = values(node, key)
        if not found:
            raise InvalidError(line_of(node), f"{key} is empty: nothing would be looked at", f"leave {key} out for all")
        return found

    return read


def _paths(patterns: Reader[tuple[str, ...]]) -> Reader[PathPatterns]:
    return lambda node, key: PathPatterns(patterns(node, key))


def _source_pattern(node: yaml.Node, key: str) -> str:
    return _accepted(SourcePatterns, node, key)


def _sources(patterns: Reader[tuple[str, ...]]) -> Reader[SourcePatterns]:
    return lambda node, key: SourcePatterns(patterns(node, key))


def _baseline(node: yaml.Node, key: str) -> Path:
    # It is written to, so it must stay where its repository is.
    value = _text(node, key)
    parts = Path(value).parts
    if not parts or Path(value).is_absolute() or {"..", ".git"} & set(parts):
        problem = f"{key}: {value!r:.60} is not below the folder of this file"
        raise InvalidError(line_of(node), problem, f"write {key}: .winnow/baseline.json")
    return Path(value)


# ---- the schema ------------------------------------------------------------------------------------------------


def _settings(
    paths: Mapping[str, Any] = MappingProxyType({}),
    boilerplate: Mapping[str, Any] = MappingProxyType({}),
    suppressions: Mapping[str, Any] = MappingProxyType({}),
    **others: Any,
) -> Settings:
    return Settings(**paths, **boilerplate, **suppressions, **others)


_FILE = _fields(
    _settings,
    {
        "index": _each(_index),
        "k": _number(KGRAM_LENGTHS[0], KGRAM_LENGTHS[-1]),
        "w": _number(WINDOW_LENGTHS[0], WINDOW_LENGTHS[-1]),
        "selection": _one_of(*get_args(Selection)),
        "languages": _filled(_each(_language)),
        "paths": _fields(
            dict[str, PathPatterns],
            {
                "include": _paths(_filled(_each(_path_pattern))),
                "exclude": _paths(_each(_path_pattern)),
            },
        ),
        "boilerplate": _parted(_each(_boilerplate)),
        "policy": _fields(
            LicensePolicy,
            {
                "deny": _each(_licence_pattern),
                "warn": _each(_licence_pattern),
                "allow": _each(_licence_pattern),
                "default": _one_of("error", "warning", "note", "allow"),
            },
        ),
        "report": _fields(
            ReportThresholds,
            {"min_tokens": _number(1, 100_000), "min_tokens_renamed": _number(1, 100_000)},
        ),
        "own": _sources(_each(_source_pattern)),
        "baseline": _baseline,
        "suppressions": _fields(dict[str, Any], {"inline": _one_of("never", "base", "always")}),
    },
)


def settings_of(root: yaml.Node) -> Settings:
    """The settings that a file's root node holds.

    Raises:
        InvalidError: a key or a value that the schema does not know.
    """
    return _FILE(root, "")
