"""The pages of the site: where each comes from, and how they are ordered.

`docs/README.md` is the first page, and its lists of links are the table of contents: each of its headings that is
followed by nothing but such a list is a part of the site. What a page links to by a path is a page of the site, too,
or a picture; the same links work on GitHub.
"""

from __future__ import annotations

import posixpath
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

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
            "[An index, from nothing](../making-an-index.md#the-manifest) explains it.",
        ),
    ),
    "reference/baseline.md": (
        "winnow-ci-baseline.json",
        schema.Described(
            "Keys of a baseline",
            "What checks a baseline, key by key, made from its [schema](../winnow-ci-baseline.json). "
            "[An old repository](../old-repository.md) explains it.",
        ),
    ),
    "reference/json.md": (
        "json-v1.schema.json",
        schema.Described(
            "JSON of a scan",
            "What `winnow-ci scan --format json` writes, made from its [schema](../json-v1.schema.json). "
            "Within a version keys are added, never renamed or dropped. [Reports](../reports.md#json) tells more.",
            always=True,
        ),
    ),
}
_COMMANDS, _REFERENCE = "reference/commands.md", "Reference"
_COPIED = {".png", ".svg", ".json"}
_FENCE = re.compile(r"^(```.*?^```$)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<=\]\()[^()\s#]+(?=[)#])")
_PART = re.compile(r"^## (.+)\n\n((?:- \[.*\n)+)", re.MULTILINE)
_ENTRY = re.compile(r"^- \[([^]]+)\]\(([^)]+)\)", re.MULTILINE)


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
    text = "".join(parts)
    return text + _contents(text) if place == "index.md" else text


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


def _contents(text: str) -> str:
    """The lists of links once more, as Sphinx takes them."""
    parts = []
    for heading, entries in _PART.findall(text):
        listed = _ENTRY.findall(entries)
        if heading == _REFERENCE:
            made = [(about.title, place) for place, (_, about) in SCHEMAS.items()]
            listed += [("Commands", _COMMANDS), *made]
        lines = "\n".join(f"{title} <{target}>" for title, target in listed)
        parts.append(f"\n```{{toctree}}\n:hidden:\n:caption: {heading}\n\n{lines}\n```\n")
    return "".join(parts)
