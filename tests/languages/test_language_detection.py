"""Which language a file is in, by its name, its first line, and rarely its first bytes."""

from __future__ import annotations

import struct

import pytest
from pygments.lexers import get_all_lexers

from winnow_ci.languages import (
    is_binary_data,
    is_data,
    is_license_text,
    language_detection,
    language_of,
    may_have_language,
    resolve_language,
)
from winnow_ci.languages.families import FAMILIES
from winnow_ci.languages.language_detection import MOSTLY_DATA, PROSE
from winnow_ci.languages.normalisation import is_binary

# ---- language detection ---------------------------------------------------------------------------------------------

ALIASES = {alias for _, aliases, _, _ in get_all_lexers(plugins=False) for alias in aliases}


def test_every_name_in_our_tables_is_one_of_pygments() -> None:
    tables = (language_detection.EXTENSIONS, language_detection.FILE_NAMES, language_detection.INTERPRETERS)
    named = {language for table in tables for language in table.values()}
    named |= language_detection.PROSE | language_detection.METADATA
    named |= {language for family in FAMILIES for language in family.languages}
    assert named - {"notebook"} <= ALIASES
    assert {resolve_language(name) for name in named} == named


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
        ("a.inc.bak", "text"),
        ("a.bats", "bash"),
        ("gradlew", "bash"),
        ("a.podspec", "ruby"),
        ("Fastfile", "ruby"),
        ("a.rbi", "ruby"),
        ("a.phpt", "php"),
        ("a.hs-boot", "haskell"),
        ("build.zig.zon", "zig"),
        ("a.app.src", "erlang"),
        ("a.html.hl", "html"),
        ("WORKSPACE.bazel", "python"),
        ("a.rakumod", "perl6"),
        ("a.nf", "groovy"),
        ("a.pde", "java"),
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
        (b"#!/usr/bin/env bats", "bash"),
        (b"#!/usr/bin/env raku", "perl6"),
        (b"#!/usr/bin/env d8", "javascript"),
        (b"#!/usr/bin/swipl -q", "prolog"),
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


INCLUDES = {
    "php": (b"<ul>\n<?php echo 1;", b"<?= $a ?>", b"\xef\xbb\xbf<?php\n", b"<p>\n" * 9999 + b"<?php"),
    "cpp": (
        b"// <?php\nstatic int a = 1;\nstatic int b = 2;\n",
        b'const char *tag = "<?php";\n',
        b"ROAD(a, 1)\nROAD(b, 2)\n",
        "#include <a.h>\nint b(void);\n".encode("utf-16"),
    ),
    "nasm": (b"; words\nstart:\n  mov ax, 1\n  int 21h\n", b"%macro a 1\n push %1\n%endmacro\n"),
    "gas": (b".macro a\n.long 1\n.endm\n",),
    "delphi": (b"procedure A;\nbegin\n  B := 1;\nend;\n", b"{$IFDEF A}\nconst\n  B = 1;\n"),
    "perl": (b"package A;\nmy $a = 1;\nsub b { 2 }\n",),
    "sql": (b"create table a (b int);\ninsert into a values (1);\n",),
    "fortran": (b"      integer a, b\n      common /c/ a, b\n",),
    "bitbake": (b'SUMMARY = "a"\nSRC_URI = "b"\ndo_install() {\n  a b\n}\n',),
    "make": (b"A ?= b\nall: a\n\tcc a\n",),
    "pov": (b"#declare A = 1;\n#macro B(C)\nsphere { 1 }\n#end\n",),
    "html": (b"<p>a</p>\n<p>b</p>\n",),
    "text": (b"Words, and words.\n", b"", b"def a(b)\n  b.map { |c| c }\nend\n", b"\n" * 99 + b"int a;\n"),
}
OTHERS = (
    *(("a.php", text, "html") for text in (b"int a(void) { return 1; }", b"<script>a()</script>", b"words")),
    ("a.php", b"function a($b)\n{\n    $c = $b[0];\n    return $c;\n}\n", "php"),
    ("a.php", b"const $a = $('b');\n" + b"<p>words</p>\n" * 9, "html"),
    *(("a.phtml", text, "php") for text in (b"<? echo 1;", b"<p><?php")),
    *((f"a.{ending}", b"<?php\n", "php") for ending in ("module", "install", "theme", "tpl")),
    *((f"a.{ending}", b"<p>", "html") for ending in ("tpl", "php3", "ctp")),
    ("a.inc.in", b"<?php", "php"),
    ("A.INC", b"#define A\n", "cpp"),
    *(("a.pm", text, "perl6") for text in (b"use v6;", b"# a\nunit module A;", b"=begin pod\n", b"sub a-b() {}")),
    ("a.pm", b"class A {\n    has Int $.b;\n}\n", "perl6"),
    ("a.t", b"use Test;\nuse A;\nplan 3;\n", "perl6"),
    ("a.pl", b"for @a -> $b {\n", "perl6"),
    ("a.pl", b"#!/usr/bin/env raku\nsay 1;", "perl6"),
    *(("a.pm", text, "perl") for text in (b"use v5.36;", b"=begin html\n", b"# use v6;\n", b"sub a { has($b) }")),
    ("a.t", b"use Test::More;\nplan tests => 3;\n", "perl"),
    ("a.pl", b"if ($a -> b) {\n", "perl"),
    ("a.pl", b":- module(a, [b/1]).\nb(X) :- c(X).\n", "prolog"),
    ("a.pl", b"#!/usr/bin/env perl\nuse v6;\n", "perl"),
    ("a.asc", b"-----BEGIN PGP SIGNATURE-----\n", "asc"),
    *(("a.asc", text, "text") for text in (b"= Title\n\nWords.\n", b"function a() {\n  b = 1;\n}\n")),
    ("a.def", b"DEFINITION MODULE A;", "modula2"),
    ("a.def", b"#ifdef A\nROAD(a)\n", "c"),
    ("a.def", b"LIBRARY a\nEXPORTS\n", "text"),
    ("a.v", b"Lemma a : b.\nProof. auto. Qed.\n", "coq"),
    ("a.v", b"module a(input b);\nendmodule\n", "verilog"),
    ("a.cl", b"__kernel void a(__global int *b) {}", "c"),
    ("a.cl", b"(defun a (b) c)", "common-lisp"),
    ("a.fs", b"uniform vec4 a;\nvoid main() {}", "glsl"),
    ("a.fs", b"module A\nlet b = 1", "fsharp"),
    ("a.pp", b"unit A;\ninterface\n", "delphi"),
    ("a.pp", b"class a { package { 'b': } }", "puppet"),
    ("a.d", b"a.o: a.c \\\n b.h\n", "make"),
    ("a.d", b"import std.stdio;\n", "d"),
    ("a.pro", b"QT += core\nSOURCES = a.cpp\n", "text"),
    ("a.hh", b"<?hh\nfunction a(): int {}", "php"),
    ("a.mm", b'<map version="1">', "xml"),
    ("a.l", b"(de a (B) C)", "common-lisp"),
    ("a.cls", b"VERSION 1.0 CLASS\n", "vb.net"),
    ("a.cgi", b"#!/usr/bin/python3\n", "python"),
    ("a.command", b"#!/usr/bin/python3\n", "python"),
    ("a.command", b"echo a\n", "bash"),
)


@pytest.mark.parametrize(
    ("path", "content", "language"),
    [
        *(("a.inc", text, language) for language, texts in INCLUDES.items() for text in texts),
        *OTHERS,
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
    assert language_of(path, b"Permission is hereby granted") is None
    assert language_of(path, b"#!/bin/sh") == "bash"


@pytest.mark.parametrize(
    "path", ["license-check", "licenses.py", "NOTICE.c", "copying/main.c", "LICENSES/run.sh", "notice.htm"]
)
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
        ("Raku", "perl6"),
        ("Svelte", "vue"),
        ("Protocol Buffers", "protobuf"),
        ("handlebars", "html"),
        ("Jupyter Notebook", "notebook"),
        ("md", "markdown"),
        ("klingon", None),
        ("", None),
    ],
)
def test_names_that_a_person_uses(name: str, language: str | None) -> None:
    assert resolve_language(name) == language


def test_a_name_resolves_to_itself() -> None:
    canonical = {resolve_language(alias) for alias in ALIASES}
    assert None not in canonical
    assert all(resolve_language(str(language)) == language for language in canonical)


# ---- data files -----------------------------------------------------------------------------------------------------

NETCDF = b"CDF\x01" + struct.pack(">6i", 0, 10, 1, 4, 0x74696D65, 0) + struct.pack(">20d", *range(20))
COMPRESSED = b"\x89HDF\r\n\x1a\n\0" + bytes(range(1, 256)) * 4
NESC = b"module Blink { uses interface Leds; }\nimplementation { int on; }\n"


@pytest.mark.parametrize(
    "path", ["package-lock.json", "Cargo.lock", "go.sum", "a.min.js.map", "x/A.CSV", "pnpm-lock.yaml", "ca/root.pem"]
)
def test_data_by_name(path: str) -> None:
    assert is_data(path)
    assert not may_have_language(path)


@pytest.mark.parametrize("path", ["json", "csv.c", "a.yml", "pyproject.toml"])
def test_what_is_no_data_by_name(path: str) -> None:
    assert not is_data(path)


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("example.nc", NETCDF),
        ("packed.nc", COMPRESSED),
        ("a.bc", b"BC\xc0\xde5\x14\0\0"),
        ("libz.so.1", b"\x7fELF\x02\x01\x01\0\0\0"),
        ("notes.txt", b"\0" * 20),
        ("image.md", COMPRESSED),
        ("a.yaml", NETCDF),
    ],
)
def test_binary_content_under_a_rare_or_wordy_name_is_data(path: str, content: bytes) -> None:
    language = language_of(path, content)
    assert language is not None
    assert is_binary_data(path, language, content)


@pytest.mark.parametrize(
    ("path", "language"), [("a.c", "c"), ("a.py", "python"), ("a.ts", "typescript"), ("a.cr", "cr")]
)
@pytest.mark.parametrize("content", [NETCDF, COMPRESSED])
def test_binary_content_under_the_name_of_code_may_be_code(path: str, language: str, content: bytes) -> None:
    assert language_of(path, content) == language
    assert not is_binary_data(path, language, content)


@pytest.mark.parametrize(
    ("path", "content", "language"),
    [
        ("a.nc", NESC, "nesc"),
        # One NUL byte makes no data of a text.
        ("a.nc", NESC + b"\0", "nesc"),
        ("a.nc", NESC.decode().encode("utf-16"), "nesc"),
        ("a.nc", "// na\u00efve\n".encode("latin-1"), "nesc"),
        ("a.1", b".TH A 1\n", "groff"),
        ("a.txt", "Zeilen".encode("utf-16-le"), "text"),
        ("a.x", b"", "logos"),
    ],
)
def test_text_is_read_under_every_name(path: str, content: bytes, language: str) -> None:
    assert language_of(path, content) == language
    assert not is_binary_data(path, language, content)


@pytest.mark.parametrize("ending", sorted(MOSTLY_DATA))
def test_each_of_these_endings_has_a_language(ending: str) -> None:
    """Else it would be of no use here; and none of them is prose."""
    assert language_of(f"a{ending}", b"") not in {None, *PROSE}


@pytest.mark.parametrize(
    ("content", "binary"),
    [
        (b"", False),
        (b"text", False),
        (b"\xff\xfe", False),
        (b"nine byte\0", True),
        (b"ten bytes \0", False),
        (b"ten bytes\xe9\0", True),
        ("ten bytes \u00e9\0".encode(), False),
    ],
)
def test_binary_content_has_many_nul_bytes_or_is_no_utf_8(content: bytes, binary: bool) -> None:
    assert is_binary(content) is binary
