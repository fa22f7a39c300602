"""The manifest of an index (``.winnow/sources.yml``): how it is read, and how sources are added to it.

winnow-ci fetches and reads the sources, so an address that only an attacker would write is an error already here.

The starter of a language: the first sources of its manifest in ``indexes``, which are small and well known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import Any

import yaml

from winnow_ci.config import team_files
from winnow_ci.config import yaml_readers as read
from winnow_ci.config.source import DeclaredSource, source_reader
from winnow_ci.errors import ConfigError, UsageError
from winnow_ci.start_up import record, replace

MOST_BYTES_OF_MANIFEST = 1 << 20
_INDEX = "index.db"
_REMEDY = "name a readable file with --manifest, or make one: winnow-ci index add PURL|URL|PATH"
_HEAD = """\
# Known code to compare changes with. After an edit, run: winnow-ci index sync
"""
_INDENT = "  "


@record(frozen=True, slots=True)
class Manifest:
    """What an index is to hold: sources in the order of the file, and what it says of the parameters."""

    path: Path
    index: Path
    parameters: dict[str, int | str]
    sources: tuple[DeclaredSource, ...]


def load_manifest(path: Path) -> Manifest:
    """Read the manifest in a file."""
    return parse_manifest(team_files.read_untrusted(path, MOST_BYTES_OF_MANIFEST, _REMEDY), path)


def parse_manifest(written: bytes, path: Path) -> Manifest:
    """Read a manifest from text; what it names is relative to the folder of ``path``."""
    team_files.refuse_large(written, str(path), MOST_BYTES_OF_MANIFEST, "split it into several manifests and indexes")
    remedy = "resolve the conflict (usually: keep both sides), then run winnow-ci index sync"
    team_files.refuse_conflict(written, path.as_posix(), remedy)
    with team_files.mistakes_reported(path.as_posix()):
        root = read.root_of(written)
        values = {} if root is None else _manifest(root, "")
    sources = _installed_together(values.pop("sources", ()), path)
    return Manifest(path, path.parent / values.pop("index", _INDEX), values, sources)


def _installed_together(sources: Sequence[DeclaredSource], path: Path) -> tuple[DeclaredSource, ...]:
    """Join all that is installed in one source, so that a package in several folders is taken once."""
    installed = [one for one in sources if one.origin.installed]
    if len({(one.boilerplate, one.with_text) for one in installed}) > 1:
        problem = f"{path}:{installed[1].line}: installed packages with different boilerplate or with-text settings"
        raise ConfigError(problem, "use the same settings for all of them")
    folders = tuple(dict.fromkeys(folder for one in installed for folder in one.origin.installed))
    first = installed[:1]
    return tuple(
        replace(one, origin=one.origin._replace(installed=folders)) if one in first else one
        for one in sources
        if one in first or not one.origin.installed
    )


_IN_NAME = r"[^/\u0000-\u001f\u007f-\u009f]"
_index = read.text_like(
    rf"{read.STAYS_BELOW}(?:{read.PRINTABLE}*/)?{_IN_NAME}*(?!\.){_IN_NAME}+\.db",
    "is not a *.db file below the folder of this file",
    f"write index: {_INDEX}",
)


def _sources(node: yaml.Node, key: str) -> tuple[DeclaredSource, ...]:
    # Removing the last source leaves the key alone.
    return () if node.tag == f"{read.TAG}null" else read.each(source_reader())(node, key)


_manifest = read.mapping(dict[str, Any], {"index": _index, **read.PARAMETERS, "sources": _sources})


def declared_by_keys(values: Mapping[str, Any]) -> DeclaredSource:
    """Return the source that keys and values of a manifest declare, or raise ``UsageError``."""
    node = yaml.compose(_items([values]), yaml.SafeLoader)
    assert isinstance(node, yaml.SequenceNode)
    try:
        return source_reader()(node.value[0], "")
    except team_files.InvalidContentError as error:
        first = error.mistakes[0]
        raise UsageError(first.problem, first.remedy) from error


def with_sources_added(written: bytes, added: Sequence[Mapping[str, Any]], path: Path) -> bytes:
    """Add sources, as keys and values, to the text of a manifest, or raise ``ConfigError`` if it has another form."""
    before = parse_manifest(written, path)
    after = _edited(written.decode("utf-8-sig"), _items(added)).encode()
    after = b"\xef\xbb\xbf" * written.startswith(b"\xef\xbb\xbf") + after
    more = (*before.sources, *map(declared_by_keys, added))
    wanted = replace(before, sources=_installed_together(more, path))
    item = yaml.safe_dump([dict(added[0])], default_flow_style=True, sort_keys=False, width=1 << 20).strip()[1:-1]
    advice = f"add this to its sources yourself: - {item}"
    return team_files.checked_edit(after, path, partial(parse_manifest, path=path), wanted, advice)


def _items(added: Sequence[Mapping[str, Any]]) -> str:
    listed = [values["purl"] if values.keys() == {"purl"} else dict(values) for values in added]
    return str(yaml.safe_dump(listed, sort_keys=False, width=1 << 20, allow_unicode=True))


def _edited(text: str, items: str) -> str:
    ending = "\r\n" if "\r\n" in text else "\n"
    # Unlike ``splitlines``, which also splits at other characters.
    lines = (text.replace("\r\n", "\n") or _HEAD).removesuffix("\n").split("\n")
    root = read.root_of(text.encode())
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
    """The line number to insert before, and the indentation; removes an empty list from ``lines``."""
    if isinstance(sources, yaml.SequenceNode) and sources.value:
        return max(_last_lines(sources)) + 1, " " * sources.start_mark.column
    line = key.start_mark.line
    if isinstance(sources, yaml.SequenceNode) and sources.start_mark.line == sources.end_mark.line == line:
        before, after = lines[line][: sources.start_mark.column], lines[line][sources.end_mark.column :]
        lines[line] = f"{before.rstrip()}{after}"
    return line + 1, _INDENT


def _last_lines(node: yaml.Node) -> Iterator[int]:
    if isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        parts = node.value if isinstance(node, yaml.SequenceNode) else [part for pair in node.value for part in pair]
        for part in parts:
            yield from _last_lines(part)
    else:
        # The end of a block of text is the beginning of what follows.
        yield node.end_mark.line - (node.end_mark.column == 0)


_SOURCES = 12
_LEAST_SHARE = 0.1
# At the top of the project; a wheel has it beside this file.
_MANIFESTS = next(folder / "indexes" for folder in Path(__file__).parents if (folder / "indexes").is_dir())
STARTERS = {
    "c-cpp": "c cc cpp cxx h hh hpp hxx".split(),
    "go": ["go"],
    "java": ["java"],
    "javascript": "cjs cts js jsx mjs mts svelte ts tsx vue".split(),
    "php": ["php", "phtml"],
    "python": "ipynb py pyi pyx".split(),
    "rust": ["rs"],
}
"""Languages that have a starter, and the endings of their files; TypeScript belongs to JavaScript."""
OTHER_NAMES = {"golang": "go", "maven": "java", "kotlin": "java", "cargo": "rust", "crates": "rust"}
OTHER_NAMES |= dict.fromkeys(("js", "node", "npm", "typescript"), "javascript")
OTHER_NAMES |= {"composer": "php", "packagist": "php", "pip": "python", "pypi": "python"}
"""What else people call them, such as the registry → the language."""
_LANGUAGE_OF = {f".{ending}": language for language, endings in STARTERS.items() for ending in endings}


def starter(language: str) -> list[dict[str, Any]]:
    """Return the sources of a starter, as keys and values of a manifest."""
    text = (_MANIFESTS / f"{language}.yml").read_text(encoding="utf-8")
    return [one if isinstance(one, dict) else {"purl": one} for one in yaml.safe_load(text)["sources"][:_SOURCES]]


def languages_of(paths: Iterable[str]) -> list[str]:
    """Return the languages of at least a tenth of the files that have one of ``STARTERS``, the most frequent first."""
    counts = Counter(_LANGUAGE_OF.get(PurePath(path).suffix.lower()) for path in paths)
    del counts[None]
    return [str(language) for language, count in counts.most_common() if count >= _LEAST_SHARE * counts.total()]
