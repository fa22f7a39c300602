"""Path and first bytes → the name of the language, which is Pygments' own.

A file's name decides: first the tables below (the languages of the table-driven tokenizer, and endings that several
languages claim), then Pygments' file name patterns. A file whose name says nothing may name a program in its first
line (``#!``). Content decides otherwise only for a few endings with two common meanings.

Some files have no language: texts of licences (they are everywhere, and meant to be copied), and data (``data_files``).
"""

from __future__ import annotations

import importlib
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from winnow_ci.languages.data_files import ending_of, is_binary_by_name, is_data, is_mostly_data
from winnow_ci.languages.known_texts import LICENCE_TEXT
from winnow_ci.languages.normalisation import is_binary
from winnow_ci.model import Skipped
from winnow_ci.regexes import compiled_on_use

if TYPE_CHECKING:
    from types import ModuleType

LARGEST_FILE = 64 << 20
"""Bytes; larger files are not read."""

PROSE = frozenset(
    {"text", "markdown", "restructuredtext"}
    # These start any lexer that the text names.
    | {"arturo", "email", "http", "mime", "notmuch", "tid", "wikitext"}
)
"""Languages that are read as plain words."""

METADATA = frozenset(
    {"debcontrol", "desktop", "ini", "pot", "properties", "registry", "systemd", "toml", "xml", "yaml"}
)
"""Languages of data and settings that people write by hand; they are read as plain words, too."""

TEXT_AS_A_WHOLE = PROSE | METADATA | {"diff", "docker", "make"}
"""Languages whose documents have no code of their own, or hardly any, but may quote some."""

OWN = frozenset({"notebook"})
"""Languages that Pygments does not know."""

UNKNOWN_LANGUAGE = "unknown language"
BINARY_DATA = "binary data"
"""Why files are not read."""

_PREFERRED = {
    "splus": "r",
    # Their lexers start any lexer that the text names.
    **dict.fromkeys(("postgresql", "plpgsql", "psql", "postgres-explain"), "sql"),
}
"""Pygments' first alias → the language that it is read as."""


def _table(text: str) -> dict[str, str]:
    """``language: key key ...`` lines → key → language."""
    rows = (line.split(":", 1) for line in text.strip().splitlines())
    return {key: language.strip() for language, keys in rows for key in keys.split()}


_EXTENSIONS = _table("""
    c: c h l y
    cpp: cc cp cpp cxx c++ C hh hpp hxx h++ H inl ipp metal tcc tpp txx yy
    arduino: ino
    cuda: cu cuh
    objective-c: m
    objective-c++: mm
    python: py pyi pyw py2 py3 gyp gypi ipy rpy star wsgi xsh
    cython: pyx pxd pxi
    javascript: js mjs cjs es jsb jsm pac sjs
    jsx: jsx
    typescript: ts mts cts
    tsx: tsx
    java: java cls trigger
    go: go
    markdown: md markdown mdx qmd rmd
    restructuredtext: rst
    text: txt adoc asciidoc
    bash: sh bash ksh zsh
    brainfuck: bf
    common-lisp: cl lisp
    coq: coq
    csharp: cs csx
    css: css
    scss: scss
    less: less
    d: d
    dart: dart
    elixir: ex exs
    fsharp: fs fsi fsx
    gas: s S
    gdscript: gd
    gherkin: feature
    erlang: erl hrl
    fortran: f90 f95 f03 f08
    fortranfixed: f for f77 ftn
    haskell: hs
    groovy: groovy gradle gvy gy gsh
    html: html htm xhtml ejs erb eex hbs handlebars mustache njk gohtml
    html: ascx aspx astro cshtml ftl ftlh jsp jspf liquid marko mjml razor riot tpl twig vtl
    notebook: ipynb
    ini: cfg inf ini
    julia: jl
    kotlin: kt kts
    lean4: lean
    lua: lua
    nasm: asm
    ocaml: ml mli
    perl: pl pm t psgi
    php: php inc php3 php4 php5 phtml
    powershell: ps1 psm1 psd1
    prolog: pro
    properties: properties
    protobuf: proto
    ragel-c: rl
    ruby: rb rake gemspec ru rbw
    rust: rs
    scala: scala sc sbt
    r: r R
    solidity: sol
    sql: sql ddl hql pgsql psql
    supercollider: scd
    tcl: exp itcl tcl tk
    glsl: comp frag geom glsl vert
    swift: swift
    swig: i
    systemverilog: sv svh
    terraform: tf tfvars hcl
    toml: toml
    tex: sty tex
    turtle: ttl
    vb.net: bas
    verilog: v vh
    vhdl: vhd vhdl
    vue: vue svelte
    xml: xml
    xslt: xsl xslt
    yaml: yaml yml
    zig: zig
""")

_FILE_NAMES = _table("""
    bash: .bashrc .bash_profile .profile .zshrc
    python: SConstruct SConscript Tiltfile wscript BUILD WORKSPACE
    ruby: Gemfile Rakefile Podfile Vagrantfile
    cmake: CMakeLists.txt
    groovy: Jenkinsfile
    make: Makefile makefile GNUmakefile
    meson: meson_options.txt
    text: README
""")

_INTERPRETERS = _table("""
    bash: sh bash dash ash ksh zsh
    fish: fish
    tcsh: csh tcsh
    javascript: node nodejs bun
    typescript: deno ts-node tsx
    python: python pypy
    perl: perl
    ruby: ruby jruby
    php: php
    lua: lua luajit
    awk: awk gawk mawk nawk
    sed: sed
    tcl: tclsh wish expect
    r: Rscript
    groovy: groovy
    scala: scala
    make: make
    powershell: pwsh
    elixir: elixir
    erlang: escript
    julia: julia
    common-lisp: sbcl clisp
    racket: racket
    haskell: runghc runhaskell
    ocaml: ocaml
""")

# What Objective-C has not where it has no function: a comment of MATLAB or Octave, a statement, an assignment without
# a type. A call, which may be a macro there, says nothing.
_MATLAB = rb"""
    \s* (?: [A-Za-z]\w* (?:\([^()'\n]{0,200}\))? [ \t]* (?: ; [ \t]* )? \n \s* ){0,20}
    (?: % | \#[#\ !\n] (?! [ ]* (?:import|include|if|ifdef|ifndef|define|undef|pragma)\b )
    | [0-9]+ [ \t]* ;
    | (?:function|classdef|if|for|parfor|while|switch|try|global|persistent|import
        |clear|clearvars|clc|close|figure|format|hold|more|warning|pkg|load|addpath|rng)\b
    | \[ [^\]\n]{0,200} \] [ \t]* =
    | [A-Za-z]\w* (?: \.\w+ | \([^()\n]{0,200}\) | \{[^{}\n]{0,200}\} ){0,5} [ \t]* = (?!=)
    | [A-Za-z]\w* \( ' [^'\n]{2,} '
    )
"""
_BY_CONTENT = {
    ".cls": (compiled_on_use(rb"\s*[%\\]"), "tex"),
    ".ts": (compiled_on_use(rb"\s*<(?:\?xml|!DOCTYPE TS)"), "xml"),
    ".m": (compiled_on_use(_MATLAB, re.VERBOSE), "matlab"),
}

# Endings of what becomes a file of the language before them, or once was one.
_AROUND = frozenset("in j2 jinja jinja2 mako template dist sample example orig bak old".split())

_LICENCE = compiled_on_use(
    r"(?i:licen[cs]es?|copying|copyright|notice|unlicen[cs]e)[0-9]?(?:\..*)?|(?:LICEN[CS]E|COPYING|NOTICE)[-_].*"
)

_SHEBANG = compiled_on_use(rb"(?:\xef\xbb\xbf)?#![ \t]*([^\r\n]{1,500})")


def language_of(path: str, content: bytes) -> str | None:
    """The language of a file, or None if it has no known one. Reads only the first bytes of the content."""
    if not may_have_language(path):
        return None
    name = _name(path)
    pattern, language = _BY_CONTENT.get(ending_of(name), (None, None))
    if pattern is not None and pattern.match(content.lstrip()[:1000]):
        return language
    return _by_name(name) or _by_shebang(content)


def is_binary_data(path: str, language: str, content: bytes) -> bool:
    """Whether a file is binary data, and no code that somebody hides under its name, given its language."""
    return (language in PROSE | METADATA or is_mostly_data(path)) and is_binary(content)


def language_by_name(path: str) -> str | None:
    """The language of a file whose name alone decides; None if the content has a say."""
    name = _name(path)
    return None if ending_of(name) in _BY_CONTENT or not may_have_language(path) else _by_name(name)


def may_have_language(path: str) -> bool:
    """Whether a file may have a language, by its name."""
    return not (is_license_text(path) or is_data(path) or is_binary_by_name(_name(path)))


def skip_by_path_and_size(path: str, size: int) -> Skipped | None:
    """Why a file of known code needs no reading: its name says that no code is in it, or it is too large."""
    if is_license_text(path):
        return Skipped(path, LICENCE_TEXT, "out-of-scope")
    if is_data(path):
        return Skipped(path, "data", "out-of-scope")
    if size > LARGEST_FILE:
        return Skipped(path, f"larger than {LARGEST_FILE >> 20} MiB", "not-scanned")
    return None


def is_license_text(path: str) -> bool:
    """Whether a file's name says that it is the text of a licence: ``LICENSE.md``, ``LICENSES/MIT.txt``."""
    name = _name(path)
    named = _LICENCE.fullmatch(name) or _name(path.rpartition("/")[0]) == "LICENSES"
    return bool(named) and (_by_name(name) or "text") in PROSE | {"html"}


def extensions() -> set[tuple[str, str]]:
    """The lower-case endings of the table above, each with its language."""
    return {(extension.lower(), language) for extension, language in _EXTENSIONS.items()}


def resolve(name: str) -> str | None:
    """The name of a language under any of its aliases, in any case; None if there is no such language."""
    plain = name.strip().lower()
    return plain if plain in OWN else _preferred(_pygments_names().names().get(plain))


def language_names() -> list[str]:
    """All names that ``resolve`` knows, in lower case."""
    return sorted({*OWN, *_pygments_names().names()})


def _preferred(language: str | None) -> str | None:
    return _PREFERRED.get(language, language) if language else None


def _name(path: str) -> str:
    return path.rpartition("/")[2]


@lru_cache(1 << 12)
def _by_name(name: str) -> str | None:
    if name in _FILE_NAMES:
        return _FILE_NAMES[name]
    stem, _, extension = name.rpartition(".")
    known = (_EXTENSIONS.get(extension) or _EXTENSIONS.get(extension.lower())) if stem else None
    known = known or _preferred(_pygments_names().by_file_name(name))
    inner = name if known else _inner(name)
    return _by_name(inner) if inner != name and may_have_language(inner) else known


def _inner(name: str) -> str:
    """A name without the endings that stand around another one, and without an editor's mark of what was there."""
    name = name.rstrip("~")
    while (parts := name.rpartition("."))[0] and parts[2].lower() in _AROUND:
        name = parts[0]
    return name


def _by_shebang(content: bytes) -> str | None:
    line = _SHEBANG.match(content)
    if line is None:
        return None
    for word in line.group(1).decode("latin-1").split():
        program = word.rpartition("/")[2]
        is_setting = word.startswith("-") or "=" in word
        if program != "env" and not is_setting:
            return _INTERPRETERS.get(program.rstrip("0123456789.-"))
    return None


def _pygments_names() -> ModuleType:
    """Imported only for a name that the tables lack."""
    return importlib.import_module("winnow_ci.languages.pygments_names")
