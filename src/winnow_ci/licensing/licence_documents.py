"""Documents about a licence: ``docs/license.md`` says "roads is under the MIT License", or includes ``../LICENSE``.

Such a file is not the text of a licence, and must not make its folder unknown. But nobody shall change a licence by
writing one. So a document counts for nothing if all that it says agrees with the licence that its folder has without
it: one that is believed changes no more than one that is not there. A file that says anything else, or has a word that
allows or forbids something, is a licence text that is not recognised.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from winnow_ci.licensing.claims import LicenceDocument
from winnow_ci.licensing.licence_texts import recognise

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from winnow_ci.licensing.claims import LicenceStatement
    from winnow_ci.licensing.expressions import LicenceReader

_NAME = re.compile(r"(?:un)?licen[cs]e.*\.(?:md|rst|markdown)", re.IGNORECASE)
_LARGEST = 64 << 10
_LONGEST = 300
_MOST_BLOCKS = 4
_SHORTEST_BLOCK = 20
_INDENTED = re.compile(r"\t| {2,}(?=\S)")
_FENCE = re.compile(r"```+|~~~+")
_INCLUDE = re.compile(r"(?:\.\.[ \t]+(?:literal)?include::+|\{(?:literal)?include\})[ \t]+(\S+)")
_LINK = re.compile(r"\]\(([^][()#\s]{1,300})\)")
# Digits in other identifiers, and in addresses, number nothing.
_BEFORE_NUMBER = r"(?:(?<![a-z0-9])|(?<=\bv)|(?<=gplv)|(?<=gpl)|(?<=bsd)|(?<=mpl)|(?<=apache))"
_WORD = re.compile(rf"[a-z]+|{_BEFORE_NUMBER}[0-9]+(?:\.[0-9]+)*(?![a-z0-9])")
_NUMBERS = {"two": "2", "three": "3"}
# What follows one of these is the name of a licence, near enough.
_BEFORE_NAME = frozenset({"under", "licensed", "licenced", "released", "distributed"})
_NEAR = 10
# Names stand beside one of these, except in a title.
_LICENCES = frozenset({"license", "licence", "licenses", "licences"})
_BESIDE = 4
_IN_TITLE = 2
_FILE = re.compile(r"(?:un)?licen[cs]e[\w.-]*|copying[\w.-]*")
# Words that name licences, and those of them that have another form.
_NAMES = (
    "mit bsd apache gnu gpl lgpl agpl mpl isc zlib boost psf artistic eclipse epl cddl eupl unlicense ofl zope zpl cc "
    "commons cern ncsa sspl busl bsl elastic polyform wtfpl unicode domain proprietary"
).split()
_FAMILIES = {name: name for name in _NAMES} | {
    "expat": "mit",
    "mozilla": "mpl",
    "lesser": "lgpl",
    "affero": "agpl",
    "gplv": "gpl",
    "lgplv": "lgpl",
    "agplv": "agpl",
}
# A text with one of these allows or forbids something itself.
_BINDING = frozenset(
    "agree agreement agreements commercial commercially condition conditions confidential copy copies copying "
    "disclaimer disclaims evil exclusive exclusively forbidden furnished good grant granted grants hereby herein "
    "however infringe infringement liability liable limitation limited may merchantability modification modifications "
    "modify must noncommercial not notwithstanding only patent patents permission permissions permit permits permitted "
    "personal prohibited provided purpose redistribute redistributed redistribution redistributions require required "
    "requires restricted restriction restrictions royalty sell shall solely sublicense subject unless unlimited use "
    "used warranties warranty waive without "
    "approval consent contact customers evaluation fee fees internal key keys reserved rights sales trial".split()
)
# In English prose, one word in ten at least is one of these; one in twenty is asked for, and none of a title.
_COMMON = frozenset("the is of and to by for this".split())
_FEW = 20
_TITLE = 12
# So does one with this, where it speaks of licences.
_EXCEPTION = "except"


def licence_document(path: str, content: bytes) -> LicenceDocument | None:
    """What a file says if it is a document about licences; None if it may be a licence."""
    folder, _, name = path.rpartition("/")
    if not _NAME.fullmatch(name) or len(content) > _LARGEST:
        return None
    prose, texts = _divided(content.decode("utf-8", "replace").splitlines())
    includes = [_target(folder, found) for found in _INCLUDE.findall(prose)]
    links = [_target(folder, found) for found in _LINK.findall(prose)]
    paragraphs = [_words(paragraph) for paragraph in re.split(r"\n\s*\n", _INCLUDE.sub("", prose))]
    words = [word for paragraph in paragraphs for word in paragraph]
    if len(words) > _LONGEST or any(map(_binds, paragraphs)) or not all(map(_names_licences, paragraphs)):
        return None
    if not _is_english(prose, words):
        return None
    return LicenceDocument(tuple(includes), tuple(links), tuple(texts), tuple(sorted(_named(words))))


def adds_nothing(
    document: LicenceDocument,
    licence: str,
    around: str,
    texts: Mapping[str, LicenceStatement],
    reader: LicenceReader,
) -> bool:
    """Whether a document agrees with the licence that holds without it.

    Args:
        document: says something of licences.
        licence: an expression.
        around: the folder that has that licence.
        texts: all licence texts of the source, by path.
        reader: how licences are read.
    """
    shown = [texts.get(path) for path in document.includes] + [texts[path] for path in document.links if path in texts]
    for one in shown:
        if one is None or (one.scope != around and reader.first(one.licences) != licence):
            return False
    said = set(document.named).union(*(_named(_words(text)) for text in document.texts))
    known = _named(_words(licence))
    # Of a choice, somebody may name the one side that is to hold.
    needed = _families(known) if " OR " in licence and not shown else set()
    return bool(shown or _families(said)) and needed <= said <= known


def _words(text: str) -> list[str]:
    """Words and numbers, without names of licence files."""
    rest = " ".join(part for part in text.lower().split() if not _is_licence_file(part))
    return [_NUMBERS.get(word, word) for word in _WORD.findall(rest)]


def _is_licence_file(part: str) -> bool:
    _, slash, name = part.rstrip("`_).,;:").rpartition("/")
    return bool(slash and _FILE.fullmatch(name))


def _is_english(prose: str, words: Sequence[str]) -> bool:
    """Whether the words that are looked for are those of the language; in German, "mit" is no licence."""
    foreign = sum(not letter.isascii() for letter in prose if letter.isalpha())
    common = sum(word in _COMMON for word in words)
    return foreign * _FEW <= len(prose) and (len(words) <= _TITLE or common * _FEW >= len(words))


def _binds(words: Sequence[str]) -> bool:
    of_licences = any(word in _FAMILIES or word.startswith(("licen", "unlicen")) for word in words)
    return not _BINDING.isdisjoint(words) or (of_licences and _EXCEPTION in words)


def _named(words: Sequence[str]) -> set[str]:
    """The families of licences that words name, and numbers of versions or of clauses."""
    named = {_FAMILIES.get(word) or _number(word) for word in words} - {""}
    if "gnu" in named:
        named = named - {"gnu"} | (set() if named & {"lgpl", "agpl"} else {"gpl"})
    return named


def _families(named: Collection[str]) -> set[str]:
    return {word for word in named if not word[0].isdigit()}


def _number(word: str) -> str:
    """The number of a version or of clauses; empty for a year and for what is none."""
    return word.removesuffix(".0") if word[0].isdigit() and len(word.partition(".")[0]) < 3 else ""


def _names_licences(words: Sequence[str]) -> bool:
    """Whether a known name stands wherever a paragraph is bound to name a licence: it may be somebody's own."""
    for number, word in enumerate(words):
        after = words[number + 1 : number + 1 + _NEAR]
        if word in _BEFORE_NAME and _FAMILIES.keys().isdisjoint(after):
            return False
        if word in _LICENCES and number >= _IN_TITLE and after[:1] not in (["text"], ["texts"], ["file"]):
            around = words[number - _BESIDE : number] if number > _BESIDE else words[:number]
            if _FAMILIES.keys().isdisjoint((*around, *after[:_BESIDE])):
                return False
    return True


def _target(folder: str, target: str) -> str:
    return posixpath.normpath(f"{folder}/{target}")


# ---- prose and blocks of text ----------------------------------------------------------------------------------


def _divided(lines: Sequence[str]) -> tuple[str, list[str]]:
    """The prose of a document, and the names of the licences whose texts stand in it as blocks."""
    prose, texts, tried = [], [], 0
    for is_block, part in _parts(lines):
        text = "\n".join(part)
        name = None
        if is_block and tried < _MOST_BLOCKS and len(text.split()) >= _SHORTEST_BLOCK:
            tried += 1
            name = recognise(text.encode()).name
        if name:
            texts.append(name)
        else:
            prose.append(text)
    return "\n".join(prose), texts


def _parts(lines: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    """The lines in parts, each of them prose, or a block that is indented or fenced."""
    part: list[str] = []
    fence, was_block = "", False
    for line in lines:
        mark = _FENCE.match(line)
        is_block = bool(fence) or bool(_INDENTED.match(line)) or (was_block and not line.strip())
        if mark and (not fence or line.rstrip() == fence):
            fence, is_block = "" if fence else mark[0], False
        if is_block != was_block:
            yield was_block, part
            part = []
        part.append(line)
        was_block = is_block
    yield was_block, part
