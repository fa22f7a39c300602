"""One pull request that brings a copy in another form, under another name, or as text."""

from __future__ import annotations

import codecs
import re
import textwrap
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from commands import judged
from containers import CONTAINERS
from known_code import SAMPLES
from scanning import Stage, recipe
from trials import Outcome, Part, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from random import Random

    from histories import Content
    from known_code import Sample
    from trials import Attempt


class Evasion(NamedTuple):
    """What a change brings instead of the copy; None where the language has no such thing."""

    change: Callable[[Sample], Mapping[str | bytes, Content] | None]
    limit: str = ""


def _text(edit: Callable[[str], str | bytes], *languages: str) -> Evasion:
    """The copy with its text edited."""
    return Evasion(
        lambda sample: {sample.path: edit(sample.text)} if sample.language in (languages or SAMPLES) else None
    )


def _sample(edit: Callable[[Sample], str | bytes | None]) -> Evasion:
    def change(sample: Sample) -> Mapping[str | bytes, Content] | None:
        text = edit(sample)
        return None if text is None else {sample.path: text}

    return Evasion(change)


def _named(name: str, *languages: str, limit: str = "", before: str = "") -> Evasion:
    """The copy under another name, in which ENDING stands for its own ending."""
    return Evasion(
        lambda sample: (
            {name.replace("ENDING", sample.ending): before + sample.text}
            if sample.language in (languages or SAMPLES)
            else None
        ),
        limit,
    )


def _renamed(sample: Sample) -> str:
    other = {name: f"w{number}{name[::-1]}" for number, name in enumerate((*sample.names, "broken", "span", "each"))}
    return re.sub(r"[A-Za-z_]\w*", lambda word: other.get(word[0], word[0]), sample.text)


def _with_junk(every: int, sample: Sample) -> str:
    lines = []
    for number, line in enumerate(sample.text.splitlines()):
        if number % every == every - 1:
            lines.append(f"{line[: len(line) - len(line.lstrip())]}{sample.junk}")
        lines.append(line)
    return "\n".join(lines) + "\n"


def _in_pieces(sample: Sample) -> str:
    lines = sample.text.splitlines(keepends=True)
    size = len(lines) // 3 + 1
    pieces = ["".join(lines[at : at + size]) for at in range(0, len(lines), size)]
    return f"\n{sample.line} Ours.\n{sample.junk}\n".join(pieces)


def _homoglyphs(text: str) -> str:
    return text.replace("previous", "pr\u0435vious").replace("closures", "cl\u043esures")


def _full_width(text: str) -> str:
    return text.replace("merged", "".join(chr(ord(letter) + 0xFEE0) for letter in "merged"))


def _hexadecimal(text: str) -> str:
    return re.sub(r"\b17\b", "0x11", text)


def _spliced(text: str) -> str:
    return re.sub(r"(\w{3})(\w{3})", "\\1\\\n\\2", text)


def _respelled(marks: str, text: str) -> str:
    written = dict(zip("{}[]", marks.split(), strict=True))
    return "".join(written.get(character, character) for character in text)


def _below(mark: bytes, text: str) -> bytes:
    return mark + text.encode()


def _half_wide(above: str, below: str) -> bytes:
    return above.encode("utf-16") + below.encode()


_BRACES = ("javascript", "java", "c", "php", "rust", "csharp", "perl")
_CODE = ("javascript", "java", "c", "go", "php", "rust", "csharp", "swift")
FORMS = {
    "nothing changed": _text(str),
    "CR LF": _text(lambda text: text.replace("\n", "\r\n")),
    "CR": _text(lambda text: text.replace("\n", "\r")),
    "tabs": _text(lambda text: text.replace("    ", "\t")),
    "blanks at the ends of lines": _text(lambda text: text.replace("\n", "   \n")),
    "blank lines": _text(lambda text: text.replace("\n", "\n\n\n\n")),
    "form feeds": _text(lambda text: text.replace("\n", "\n\f", 4)),
    "a byte order mark": _text(lambda text: b"\xef\xbb\xbf" + text.encode()),
    "UTF-16": _text(lambda text: text.encode("utf-16")),
    "UTF-16 without a mark": _text(lambda text: text.encode("utf-16-be")),
    "UTF-32": _text(lambda text: text.encode("utf-32")),
    **{
        f"a false mark of {name}": _text(partial(_below, mark), "shell", "php")
        for name, mark in {
            "UTF-16": codecs.BOM_UTF16_LE,
            "UTF-16 the other way": codecs.BOM_UTF16_BE,
            "UTF-32": codecs.BOM_UTF32_LE,
            "UTF-32 the other way": codecs.BOM_UTF32_BE,
        }.items()
    },
    "half UTF-16 and half bytes": _sample(lambda sample: _half_wide(f"{sample.line} Ours.\n", sample.text)),
    "half of the copy UTF-16": _text(lambda text: _half_wide(text[: len(text) // 2], text[len(text) // 2 :])),
    "NUL bytes": _text(lambda text: text.replace("\n", "\0\n")),
    "bytes that are no UTF-8": _sample(lambda sample: f"{sample.line} \xe9\xff\n{sample.text}".encode("latin-1")),
    "letters without width": _text(lambda text: text.replace("previous", "prev\u200bious").replace("17", "1\u200b7")),
    "soft hyphens": _text(lambda text: text.replace("closures", "clo\u00adsures")),
    "Cyrillic letters": _text(_homoglyphs),
    "letters of full width": _text(_full_width),
    "one line": _text(lambda text: re.sub(r"\s*\n\s*", " ", text), *_BRACES),
    "a very long line above": _sample(lambda sample: f"x = [{'0, ' * 50_000}]\n{sample.text}"),
    "100,000 blank lines above": _text(lambda text: "\n" * 100_000 + text),
    "an unclosed string above": _sample(lambda sample: f'x = "\n{sample.text}'),
    "an unclosed bracket above": _sample(lambda sample: f"x = (\n{sample.text}"),
    "below other code": _sample(lambda sample: f"{sample.junk}\n" * 200 + sample.text),
    "in a block of its own": _sample(lambda sample: f"if x {{\n{textwrap.indent(sample.text, '  ')}}}\n"),
    "DO NOT EDIT": _sample(lambda sample: f"{sample.line} Code generated by x. DO NOT EDIT. @generated\n{sample.text}"),
    "another licence": _sample(lambda sample: f"{sample.line} SPDX-License-Identifier: MIT\n{sample.text}"),
    "the words of other tools": _sample(
        lambda sample: "".join(f"{line}  {sample.line} noqa NOSONAR nolint\n" for line in sample.text.splitlines())
    ),
}
EDITS = {
    "other names": _sample(_renamed),
    "a statement of junk on every third line": _sample(partial(_with_junk, 3)),
    "a statement of junk on each line": _sample(partial(_with_junk, 1)),
    "other names and junk on every fourth line": _sample(
        lambda sample: _with_junk(4, sample._replace(text=_renamed(sample)))
    ),
    "a comment on each line": _sample(
        lambda sample: "".join(f"{line} {sample.line} {at}\n" for at, line in enumerate(sample.text.splitlines()))
    ),
    "a comment between all words": _text(lambda text: re.sub(r"(?<=\w) (?=\w)", " /**/ ", text), *_CODE),
    "numbers in hexadecimal": _text(_hexadecimal),
    "other strings": _text(lambda text: re.sub(r"more turned spans[^:]*", "too bad a survey", text)),
    "splices in names": _text(_spliced, "c"),
    "an empty macro between words": _text(lambda text: re.sub(r"(?<=\w) (?=\w)", " E ", text), "c"),
    "digraphs": _text(partial(_respelled, "<% %> <: :>"), "c"),
    "trigraphs": _text(partial(_respelled, "??< ??> ??( ??)"), "c"),
    "escapes in names": _text(lambda text: text.replace("merged", "m\\u0065rged"), "javascript", "java", "csharp"),
    "escapes in all names": _text(
        lambda text: re.sub(r"\b([a-z])e", "\\1\\\\u0065", text), "javascript", "java", "csharp"
    ),
    "escapes for marks": _text(lambda text: re.sub(r"[^\w\s]", lambda mark: f"\\u{ord(mark[0]):04x}", text), "java"),
    "in three pieces": _sample(_in_pieces),
    "the second half alone": _text(lambda text: text[len(text) // 3 :]),
    "the halves in two files": Evasion(
        lambda sample: {
            sample.path: sample.text[: len(sample.text) // 2],
            f"src/b.{sample.ending}": sample.text[len(sample.text) // 2 :],
        }
    ),
}
NAMES = {
    "capitals": _named("src/ROADS.ENDING".upper().replace("ENDING", "ENDING")),
    "a dot file": _named("src/.roads.ENDING"),
    "the name of a licence": _named("LICENSE.ENDING"),
    "a folder of licences": _named("LICENSES/roads.ENDING"),
    "a vendored path": _named("third_party/vendor/node_modules/roads.ENDING"),
    "a path of tests": _named("tests/fixtures/roads_test.ENDING"),
    "a generated name": _named("src/roads_pb2.generated.min.ENDING"),
    "a name with blanks and quotes": _named("src/ \" '\t.ENDING"),
    "a name with line feeds": _named("src/a\n::error::b.ENDING"),
    "a name with directions of text": _named("src/\u202eroads.ENDING"),
    "a name of 240 bytes": _named(f"src/{'a' * 230}.ENDING"),
    "a deep folder": _named("/".join("d" * 200) + "/roads.ENDING"),
    "a backup": _named("src/roads.ENDING.bak"),
    "a template's ending": _named("src/roads.ENDING.in"),
    "Python by shebang": _named("bin/roads", "python", before="#!/usr/bin/env python3\n"),
    "Perl by shebang": _named("bin/roads", "perl", before="#!/usr/bin/perl -w\n"),
    "Ruby by shebang": _named("bin/roads.v2", "ruby", before="#!/usr/bin/env -S ruby -w\n"),
    "Shell by shebang": _named("bin/roads", "shell", before="#!/bin/bash -eu\n"),
    "Shell called LICENSE": _named("LICENSE", "shell", before="#!/bin/bash -eu\n"),
    "Python called COPYING": _named("COPYING", "python", before="#!/usr/bin/env python3\n"),
    **{
        f"Python as .{e}": _named(f"src/roads.{e}", "python")
        for e in "pyw pyi pyx py2 py3 wsgi cgi rpy ipy xsh".split()
    },
    **{f"JavaScript as .{e}": _named(f"src/roads.{e}", "javascript") for e in "mjs cjs jsx ts tsx es6".split()},
    **{f"C as .{e}": _named(f"src/roads.{e}", "c") for e in "h cc cpp hpp m cu ino inc def".split()},
    **{f"PHP as .{e}": _named(f"src/roads.{e}", "php") for e in "phtml inc php3 php5 phpt ctp module".split()},
    **{f"Ruby as .{e}": _named(f"src/roads.{e}", "ruby") for e in "rake ru gemspec podspec rbi thor".split()},
    "Ruby as a Fastfile": _named("Fastfile", "ruby"),
    **{f"Perl as .{e}": _named(f"src/roads.{e}", "perl") for e in "pm t psgi".split()},
    **{f"Shell as .{e}": _named(f"src/roads.{e}", "shell") for e in "bash zsh ksh bats command".split()},
    **{f"Java as .{e}": _named(f"src/Roads.{e}", "java") for e in "groovy kt scala cs".split()},
    **{f"an unknown ending .{e}": _named(f"src/roads.{e}") for e in "tbl 123 c_".split()},
    "a switched-off file": _named("src/roads.ENDING.disabled"),
    "C# as .csx": _named("src/roads.csx", "csharp"),
}
PAGES = {
    "a script in HTML": _named("src/roads.html", "javascript", before="<p>Roads</p>\n<script>\n"),
    **{
        f"a script in {name}": _named(name, "javascript", before="<!doctype html>\n<p>Roads</p>\n<script>\n")
        for name in ("notice.html", "license.html", "LICENSES/MIT.htm")
    },
    "a script in SVG": _named("img/roads.svg", "javascript", before="<svg>\n<script>\n"),
    "a script in Vue": _named("src/roads.vue", "javascript", before="<template/>\n<script>\n"),
    "a script in Svelte": _named("src/roads.svelte", "javascript", before="<script>\n"),
    "PHP below HTML": Evasion(
        lambda sample: {"src/roads.php": f"<h1>`'</h1>\n{sample.text}"} if sample.language == "php" else None
    ),
}
EVASIONS: dict[str, Evasion] = {
    **{f"form: {name}": evasion for name, evasion in FORMS.items()},
    **{f"edit: {name}": evasion for name, evasion in EDITS.items()},
    **{f"name: {name}": evasion for name, evasion in NAMES.items()},
    **{f"page: {name}": evasion for name, evasion in PAGES.items()},
}
for _name, _container in CONTAINERS.items():
    EVASIONS[f"text: {_name}"] = Evasion(
        lambda sample, keep=_container.keep: None if (kept := keep(sample)) is None else dict([kept]), _container.limit
    )
ROWS = [(name, sample) for name, way in EVASIONS.items() for sample in SAMPLES.values() if way.change(sample)]


# Without them, a scan that refuses everything would seem to hold everything.
CONTROLS = {
    "no attack: innocent code": {"src/hello.py": "print('hello')\n"},
    "no attack: a text": {"docs/a.md": "Hello.\n"},
}
ROWS += [(name, next(iter(SAMPLES.values()))) for name in CONTROLS]


def _prepared(work: Path) -> Attempt:
    return partial(_attempt, Stage.prepared(work))


def _attempt(stage: Stage, number: int, _: Random) -> Outcome:
    name, sample = ROWS[number]
    if name in CONTROLS:
        ended = stage.series([CONTROLS[name]])[0].ended
        return judged(name, ended, is_held=ended.status == 0)
    evasion = EVASIONS[name]
    change = evasion.change(sample) or {}
    scan = stage.series([change])[0]
    what, status = f"{name}; {sample.language}", scan.ended.status
    outcome = judged(what, scan.ended, is_held=status != 0, limit=evasion.limit, files=recipe([change]))
    if outcome.verdict is Verdict.MISSED and scan.is_said:
        return outcome._replace(verdict=Verdict.LIMIT, says="the report counts its lines as text that is not read")
    return outcome


PART = Part("evasions", "a copy in another form, name or text", len(ROWS), len(ROWS), _prepared, is_table=True)
