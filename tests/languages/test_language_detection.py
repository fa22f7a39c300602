"""Which language a file is in, told by its name, its first line, and rarely its first bytes."""

from __future__ import annotations

import pytest
from pygments.lexers import get_all_lexers

from winnow_ci.languages import is_license_text, language_detection, language_of, may_have_language, resolve
from winnow_ci.languages.families import FAMILIES

ALIASES = {alias for _, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases}


def test_every_name_in_our_tables_is_one_of_pygments() -> None:
    tables = (language_detection._EXTENSIONS, language_detection._FILE_NAMES, language_detection._INTERPRETERS)
    named = {language for table in tables for language in table.values()}
    named |= language_detection.PROSE | language_detection.METADATA
    named |= {language for family in FAMILIES for language in family.languages}
    assert named - language_detection.OWN <= ALIASES
    assert {resolve(name) for name in named} == named


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.c", "c"),
        ("include/a.h", "c"),
        ("a.C", "cpp"),
        ("a.CPP", "cpp"),
        ("a.hxx", "cpp"),
        ("a.y", "c"),
        ("a.c~", "c"),
        ("a~", None),
        ("a.cshtml", "html"),
        ("a.html.twig", "html"),
        ("a.adoc", "text"),
        ("Tiltfile", "python"),
        ("a.cu", "cuda"),
        ("a.m", "objective-c"),
        ("a.py", "python"),
        ("a.pyi", "python"),
        ("a.pyx", "cython"),
        *((f"a.{ending}", "python") for ending in ("py2", "py3", "wsgi", "rpy", "ipy", "xsh")),
        ("a.mjs", "javascript"),
        ("a.jsx", "jsx"),
        ("a.ts", "typescript"),
        ("a.d.mts", "typescript"),
        ("a.tsx", "tsx"),
        ("A.java", "java"),
        ("a.go", "go"),
        ("a.rs", "rust"),
        ("a.pl", "perl"),
        ("a.R", "r"),
        ("a.S", "gas"),
        ("a.v", "verilog"),
        ("a.sql", "sql"),
        ("a.fs", "fsharp"),
        ("a.php5", "php"),
        ("a.zig", "zig"),
        ("a.yml", "yaml"),
        ("pom.xml", "xml"),
        ("pyproject.toml", "toml"),
        ("setup.cfg", "ini"),
        ("gradle.properties", "properties"),
        ("README", "text"),
        ("README.md", "markdown"),
        ("x/Makefile", "make"),
        ("CMakeLists.txt", "cmake"),
        ("Dockerfile", "docker"),
        ("odd \udcff name\n.c", "c"),
        ("license.py", "python"),
        ("license-check.js", "javascript"),
        ("src/LICENSES/tool.go", "go"),
        ("a.py.in", "python"),
        ("src/a.php.In", "php"),
        ("a.yml.j2", "yaml"),
        ("a.js.bak.orig", "javascript"),
        ("Makefile.in", "make"),
        ("a.in", None),
        ("in", None),
        (".bak", None),
        ("a.unknown.bak", None),
        ("a.json.in", None),
        ("a.png.bak", None),
        (f"a.py{'.in' * 2000}", "python"),
        ("a.unknown", None),
        ("noextension", None),
        (".gitignore", None),
        ("a.png", None),
        ("a.json", None),
        ("yarn.lock", None),
        ("LICENSE.md", None),
    ],
)
def test_by_name(path: str, language: str | None) -> None:
    assert language_of(path, b"") == language


@pytest.mark.parametrize(
    ("line", "language"),
    [
        (b"#!/bin/sh", "bash"),
        (b"#! /usr/bin/python3.11 -u\n", "python"),
        (b"#!/usr/bin/env -S python3 -u\nx", "python"),
        (b"#!/usr/bin/env -i A=b node\r\n", "javascript"),
        (b"\xef\xbb\xbf#!/usr/bin/perl -w\n", "perl"),
        (b"#!/usr/bin/env", None),
        (b"#!", None),
        (b"#!/opt/unheard-of\n", None),
        (b"print(1)", None),
        (b"#!/" + b"x" * 492 + b"/python", "python"),
        (b"#!/" + b"x" * 493 + b"/python", None),
    ],
)
def test_by_first_line(line: bytes, language: str | None) -> None:
    assert language_of("bin/tool", line) == language


MATLAB = (
    *(
        b"x = 3;",
        b"[a, b] = f(1);",
        b"s.a(3).b = 4",
        b"c{2} = 'a'",
        b"1;\nfunction f",
        b"figure; hold on",
        b"for k = 1:3",
    ),
    *(b"#!/usr/bin/octave", b"# notes", b"clc\nx = 1", b"start(3);\n\ny = 2", b"disp('roads')", b"setup\nrun(1)\n% go"),
)
OBJECTIVE_C = (
    *(b"// x = 3", b"/* % */", b"# include <x.h>\nx = 1", b"#pragma mark x", b"static int f(void)\n{ x = 2; }", b""),
    *(b"NS_ASSUME_NONNULL_BEGIN\n@interface Road", b"ROAD(a);\nint x = 3;", b"main()\n{\n  x = 1;\n}", b"\n\n"),
    *(b'NSString *const x = @"a";', b"id<Road> a = b;", b"enum road { a = 1 };", b"@import Roads;", b"int x[] = {1};"),
)


@pytest.mark.parametrize(
    ("path", "content", "language"),
    [
        ("a.ts", b'<?xml version="1.0"?><TS>', "xml"),
        ("a.ts", b"<T>(x: T) => x", "typescript"),
        ("a.m", b"% solve\nfunction y = f(x)", "matlab"),
        ("a.m", b"#import <a.h>", "objective-c"),
        ("a.m", b"## Author: A\nx = 1;", "matlab"),
        ("a.m", b"clear all; close all", "matlab"),
        ("a.cls", b"\\ProvidesClass{a}", "tex"),
        ("a.m", b" " * 999 + b"% solve", "matlab"),
        ("a.m", b" " * 1000 + b"% solve", "matlab"),
        *((("a.m", text, "matlab")) for text in MATLAB),
        *((("a.m", text, "objective-c")) for text in OBJECTIVE_C),
    ],
)
def test_by_content_where_an_ending_has_two_meanings(path: str, content: bytes, language: str) -> None:
    assert language_of(path, content) == language


@pytest.mark.parametrize(
    "path",
    [
        "LICENSE",
        "LICENCE.txt",
        "license.md",
        "COPYING.LESSER",
        "COPYING3",
        "x/NOTICE.rst",
        "UNLICENSE",
        "LICENSE-MIT",
        "LICENSE_1_0.txt",
        "LICENSES/GPL-2.0-only.txt",
    ],
)
def test_texts_of_licences(path: str) -> None:
    assert is_license_text(path)
    assert not may_have_language(path)
    assert language_of(path, b"#!/bin/sh") is None


@pytest.mark.parametrize("path", ["license-check", "licenses.py", "NOTICE.c", "copying/main.c", "LICENSES/run.sh"])
def test_code_about_licences(path: str) -> None:
    assert not is_license_text(path)


@pytest.mark.parametrize(("path", "may"), [("a.png", False), ("a.so", False), ("tool", True), ("a.c", True)])
def test_what_is_worth_reading(path: str, may: bool) -> None:
    assert may_have_language(path) is may


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("C++", "cpp"),
        ("Python3", "python"),
        ("js", "javascript"),
        ("TS", "typescript"),
        ("golang", "go"),
        ("r", "r"),
        ("postgres", "sql"),
        ("md", "markdown"),
        ("klingon", None),
        ("", None),
    ],
)
def test_names_that_a_person_uses(name: str, language: str | None) -> None:
    assert resolve(name) == language


def test_a_name_resolves_to_itself() -> None:
    canonical = {resolve(alias) for alias in ALIASES}
    assert None not in canonical
    assert all(resolve(str(language)) == language for language in canonical)
