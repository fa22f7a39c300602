"""The pages of the site: where each comes from, and how they are ordered.

`docs/README.md` is the first page, and its lists of links are the table of contents: each of its headings that is
followed by nothing but such a list is a part of the site. An entry with a list of its own has the pages below it. What
a page links to by a path is a page of the site, too, or a picture; the same links work on GitHub.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from reference import commands, schema

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
# Pages that are not in docs/, and those of which a site has another name: path from the root → path in the site.
PLACES = {
    "README.md": "readme.md",
    "docs/README.md": "index.md",
    "docs/decisions": "decisions/index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "LICENSE": "licence.md",
    "benchmarks/assistants/README.md": "benchmarks/assistants.md",
    "benchmarks/quality/README.md": "benchmarks/quality.md",
    "benchmarks/hostile/README.md": "benchmarks/hostile.md",
}
# Pages that are made from a schema: place → its file and what stands first.
SCHEMAS = {
    "reference/winnow-yml.md": (
        "winnow-ci.json",
        schema.Described(
            "Keys of .winnow.yml",
            "What checks the file, key by key, made from its [schema](../winnow-ci.json). "
            "[Configuration](../configuration.md) explains it.",
        ),
    ),
    "reference/sources-yml.md": (
        "winnow-ci-sources.json",
        schema.Described(
            "Keys of sources.yml",
            "What checks a manifest, key by key, made from its [schema](../winnow-ci-sources.json). "
            "[Building an index](../making-an-index.md#the-manifest) explains it.",
        ),
    ),
    "reference/baseline.md": (
        "winnow-ci-baseline.json",
        schema.Described(
            "Keys of a baseline",
            "What checks a baseline, key by key, made from its [schema](../winnow-ci-baseline.json). "
            "[Configuration](../configuration.md#baseline) explains it.",
        ),
    ),
    "reference/json.md": (
        "json-v1.schema.json",
        schema.Described(
            "JSON of a scan",
            "What `winnow-ci scan --format json` writes, made from its [schema](../json-v1.schema.json). "
            "Within a version keys are added, never renamed or dropped. [Reports](../reports.md#json) explains it.",
            always=True,
        ),
    ),
}
_COMMANDS, _REFERENCE = "reference/commands.md", "reference.md"
_COPIED = {".png", ".svg", ".json"}
_FENCE = re.compile(r"^(```.*?^```$)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()[^()\s#]+(?=[)#])")
_PART = re.compile(r"^## (.+)\n\n((?: *- \[.*\n)+)", re.MULTILINE)
_ENTRY = re.compile(r"^( *)- \[([^]]+)\]\(([^)]+)\)", re.MULTILINE)


class _Entry(NamedTuple):
    """A page in the table of contents, by its place in the site, with the pages below it."""

    title: str
    place: str
    below: list[_Entry]


def lay_out(folder: Path) -> None:
    """Write the pages and pictures of the site into a folder, which is made."""
    for path, place in _sources().items():
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.suffix != ".md":
            shutil.copyfile(ROOT / path, target)
        else:
            target.write_text(_page(path, place), encoding="utf-8")
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8")
    made = {"decisions/index.md": _DECISIONS, "licence.md": _LICENCE.format(licence), **_reference()}
    for place, text in made.items():
        (folder / place).parent.mkdir(exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")


def _reference() -> dict[str, str]:
    described = {place: schema.page(DOCS / file, about) for place, (file, about) in SCHEMAS.items()}
    return {_COMMANDS: commands.page(), **described}


_DECISIONS = """\
# Decisions

What was decided that is costly to reverse, when, and why.

```{toctree}
:glob:
:maxdepth: 1

0*
```
"""
_LICENCE = """\
# Licence

```text
{}
```
"""


def _sources() -> dict[str, str]:
    """Each file that is a page or a picture, from the root → in the site."""
    files = [file for file in DOCS.rglob("*") if file.suffix in {".md", *_COPIED}]
    paths = [file.relative_to(ROOT).as_posix() for file in sorted(files)]
    outside = {path: place for path, place in PLACES.items() if path.endswith(".md")}
    pages = {path: path.removeprefix("docs/") for path in paths} | outside
    return pages | {path: path for page in pages for path in _files_behind(page)}


def _files_behind(page: str) -> Iterator[str]:
    """Files that a page links to, and that are neither pages nor in docs/; from the root."""
    if page.endswith(".md"):
        for link in _LINK.findall((ROOT / page).read_text(encoding="utf-8")):
            target = _target(link, page)
            if target not in PLACES and not target.startswith("docs/") and (ROOT / target).is_file():
                yield target


def _page(path: str, place: str) -> str:
    text = (ROOT / path).read_text(encoding="utf-8")
    parts = _FENCE.split(text)
    # Every other part is a block of code.
    parts[::2] = [_LINK.sub(lambda link: _moved(link[0], path, place), part) for part in parts[::2]]
    return "".join(parts) + _contents(place)


def _moved(link: str, path: str, place: str) -> str:
    """A link of a page, as the site has it."""
    if ":" in link:
        return link
    target = _target(link, path)
    found = PLACES.get(target, target.removeprefix("docs/"))
    return posixpath.relpath(found, posixpath.dirname(place) or ".")


def _target(link: str, page: str) -> str:
    """What a link of a page leads to, from the root."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(page), link))


def _contents(place: str) -> str:
    """The tables of contents of a page, as Sphinx takes them."""
    parts = _parts()
    if place == "index.md":
        return "".join(_toctree(entries, f":hidden:\n:caption: {heading}") for heading, entries in parts)
    below = [entry.below for _, entries in parts for entry in entries if entry.place == place and entry.below]
    # The pages that are made from the code have no links on GitHub, so the site shows them.
    return "".join(_toctree(entries, ":maxdepth: 1" if place == _REFERENCE else ":hidden:") for entries in below)


def _toctree(entries: list[_Entry], options: str) -> str:
    lines = "\n".join(f"{entry.title} </{entry.place}>" for entry in entries)
    return f"\n```{{toctree}}\n{options}\n\n{lines}\n```\n"


def _parts() -> list[tuple[str, list[_Entry]]]:
    """Each part of the site with its pages, from the lists of the first page."""
    text = (DOCS / "README.md").read_text(encoding="utf-8")
    return [(heading, _entries(listed)) for heading, listed in _PART.findall(text)]


def _entries(listed: str) -> list[_Entry]:
    entries: list[_Entry] = []
    for indent, title, link in _ENTRY.findall(listed):
        entry = _Entry(title, _moved(link, "docs/README.md", "index.md"), [])
        (entries[-1].below if indent else entries).append(entry)
        if entry.place == _REFERENCE:
            made = {_COMMANDS: "Commands", **{place: about.title for place, (_, about) in SCHEMAS.items()}}
            entry.below.extend(_Entry(name, place, []) for place, name in made.items())
    return entries
