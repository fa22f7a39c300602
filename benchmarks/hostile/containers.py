"""Ways to keep code as text: in a string, a comment, another kind of file, an archive.

Each way returns the path and the content that a change brings, or None where the language has no such thing.
"""

from __future__ import annotations

import base64
import codecs
import gzip
import io
import json
import tarfile
import textwrap
import zipfile
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from histories import Link

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from histories import Content
    from known_code import Sample

ENCODED = "encoded or encrypted code is not found"
OTHER_NAME = "what its name says is no code is out of scope, and counted"
FEWER_MARKS = "text with fewer than ten marks on eight lines is not read"
OTHER_LANGUAGE = "the ending decides the language"

# Long strings, by language: what opens and closes them.
_LONG_STRINGS = {
    "python": ("KEPT = r'''\n", "'''\n"),
    "javascript": ("const kept = String.raw`\n", "`;\n"),
    "java": ('class Kept {\n  String kept = """\n', '""";\n}\n'),
    "c": ('const char *kept = R"x(\n', ')x";\n'),
    "go": ("package kept\n\nvar kept = `\n", "`\n"),
    "ruby": ("KEPT = <<~'END'\n", "END\n"),
    "php": ("<?php\n$kept = <<<'END'\n", "END;\n"),
    "rust": ('const KEPT: &str = r##"\n', '"##;\n'),
    "csharp": ('var kept = """"\n', '"""";\n'),
    "perl": ("my $kept = <<'END';\n", "END\n"),
    "shell": ("cat > kept <<'END'\n", "END\n"),
    "swift": ('let kept = #"""\n', '"""#\n'),
}
_FEW_MARKS = {"go", "ruby"}
_DEAD = {"c": ("#if 0\n", "#endif\n"), "csharp": ("#if KEPT\n", "#endif\n")}
_LICENCE = """\
Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.
""".splitlines()
_ENDS = {"ruby": "__END__\n", "perl": "__END__\n", "php": "<?php\nreturn 1;\n?>\n", "shell": "exit 0\n"}


class Container(NamedTuple):
    """A way to keep code as text, and the documented limit that lets it pass, if there is one."""

    keep: Callable[[Sample], tuple[str, Content] | None]
    limit: str = ""


def _in_place(sample: Sample, text: str) -> tuple[str, Content]:
    return sample.path, text


def _line_comments(sample: Sample) -> tuple[str, Content]:
    return _commented(sample, sample.text.splitlines())


def _commented(sample: Sample, lines: Iterable[str]) -> tuple[str, Content]:
    return _in_place(sample, "".join(f"{sample.line} {line}\n" for line in lines))


def _short_comments(languages: Collection[str], sample: Sample) -> tuple[str, Content] | None:
    if sample.language not in languages:
        return None
    cut = partial(textwrap.wrap, width=8, break_long_words=False, break_on_hyphens=False)
    return _commented(sample, (piece for line in sample.text.splitlines() for piece in cut(line)))


def _amid_a_licence(every: int, sample: Sample) -> tuple[str, Content]:
    """Each so many lines of the code, the next line of a licence."""
    lines = sample.text.splitlines()
    for at, line in enumerate(_LICENCE * (1 + len(lines) // every // len(_LICENCE))):
        lines.insert(at * (every + 1), line)
    return _commented(sample, lines)


def _within_a_licence(sample: Sample) -> tuple[str, Content]:
    return _commented(sample, (*_LICENCE[:4], *sample.text.splitlines(), *_LICENCE[4:]))


def _block_comment(sample: Sample) -> tuple[str, Content] | None:
    if not sample.block:
        return None
    opening, closing = sample.block
    return _in_place(sample, f"{opening}\n{sample.text}{closing}\n")


def _long_string(sample: Sample) -> tuple[str, Content]:
    opening, closing = _LONG_STRINGS[sample.language]
    return _in_place(sample, f"{opening}{sample.text}{closing}")


def _string_a_line(sample: Sample) -> tuple[str, Content]:
    lines = ",\n".join(f"  {json.dumps(line)}" for line in sample.text.splitlines())
    return _in_place(sample, f"kept = [\n{lines}\n]\n")


def _docstring(sample: Sample) -> tuple[str, Content] | None:
    if sample.language != "python":
        return None
    body = textwrap.indent(sample.text, "    ")
    return _in_place(sample, f'def kept():\n    """An example.\n\n{body}    """\n')


def _dead(sample: Sample) -> tuple[str, Content] | None:
    if sample.language not in _DEAD:
        return None
    opening, closing = _DEAD[sample.language]
    return _in_place(sample, f"{opening}{sample.text}{closing}")


def _after_the_end(sample: Sample) -> tuple[str, Content] | None:
    ending = _ENDS.get(sample.language)
    return _in_place(sample, f"{ending}{sample.text}") if ending else None


def _file(name: str, before: str = "", after: str = "", indent: str = "") -> Callable[[Sample], tuple[str, Content]]:
    """The code as it is in another kind of file."""

    def keep(sample: Sample) -> tuple[str, Content]:
        body = textwrap.indent(sample.text, indent)
        opening = before.replace("LANGUAGE", sample.language)
        return name, f"{opening}{body}{after}"

    return keep


def _escaped(name: str, before: str, after: str) -> Callable[[Sample], tuple[str, Content]]:
    """The code with ``<``, ``>`` and ``&`` written as entities."""

    def keep(sample: Sample) -> tuple[str, Content]:
        text = sample.text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return name, f"{before}{text}{after}"

    return keep


def _notebook(size: int, sample: Sample) -> tuple[str, Content]:
    """A notebook whose source is in lines, or in pieces of a size."""
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    text = sample.text
    pieces = [text[at : at + size] for at in range(0, len(text), size)] if size else text.splitlines(keepends=True)
    metadata = {"kernelspec": {"name": sample.language, "language": sample.language, "display_name": sample.language}}
    document = {"cells": [{**cell, "source": pieces}], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return "src/kept.ipynb", json.dumps(document)


def _old_notebook(sample: Sample) -> tuple[str, Content] | None:
    if sample.language != "python":
        return None
    cell = {"cell_type": "code", "language": "python", "input": sample.text.splitlines(keepends=True), "outputs": []}
    sheets = [{"cells": [cell], "metadata": {}}]
    return "src/kept.ipynb", json.dumps({"worksheets": sheets, "metadata": {}, "nbformat": 3, "nbformat_minor": 0})


def _patch(sample: Sample) -> tuple[str, Content]:
    lines = sample.text.splitlines()
    added = "".join(f"+{line}\n" for line in lines)
    head = f"--- /dev/null\n+++ b/{sample.path}\n@@ -0,0 +1,{len(lines)} @@\n"
    return "patches/kept.patch", head + added


def _json(sample: Sample) -> tuple[str, Content]:
    return "src/kept.json", json.dumps({"code": sample.text})


def _other_ending(sample: Sample) -> tuple[str, Content]:
    return f"src/roads.{'rb' if sample.ending != 'rb' else 'py'}", sample.text


def _zipped(name: str, content: str | bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()


def _tarred(name: str, content: str | bytes) -> bytes:
    raw = content.encode() if isinstance(content, str) else content
    header, file = tarfile.TarInfo(name), io.BytesIO()
    header.size = len(raw)
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(header, io.BytesIO(raw))
    return gzip.compress(file.getvalue(), mtime=0)


def _archived(name: str, pack: Callable[[str, str | bytes], bytes], inner: str = "") -> Container:
    """A file of a change that is an archive, or one with another archive in it."""

    def keep(sample: Sample) -> tuple[str, Content]:
        if not inner:
            return name, pack(sample.path, sample.text)
        return name, pack(inner, _zipped(sample.path, sample.text))

    return Container(keep)


def _csv(sample: Sample) -> tuple[str, Content]:
    return "src/kept.csv", "line\n" + "".join(
        '"' + line.replace('"', '""') + '"\n' for line in sample.text.splitlines()
    )


CONTAINERS = {
    "a block comment": Container(_block_comment),
    "line comments": Container(_line_comments),
    "short line comments": Container(partial(_short_comments, _LONG_STRINGS.keys() - _FEW_MARKS)),
    "short line comments with few marks": Container(partial(_short_comments, _FEW_MARKS), FEWER_MARKS),
    "a comment within a licence": Container(_within_a_licence),
    **{f"a licence after each {n} lines of a comment": Container(partial(_amid_a_licence, n)) for n in (1, 4)},
    "a long string": Container(_long_string),
    "a string a line": Container(_string_a_line),
    "a docstring": Container(_docstring),
    "code that is never compiled": Container(_dead),
    "behind the end of the program": Container(_after_the_end),
    "a text file": Container(_file("docs/kept.txt")),
    "a Markdown fence": Container(_file("docs/kept.md", "# Kept\n\n```LANGUAGE\n", "```\n")),
    "an indented block of Markdown": Container(_file("docs/kept.md", "# Kept\n\nSo:\n\n", "", "    ")),
    "reStructuredText": Container(_file("docs/kept.rst", "Kept\n====\n\n.. code-block:: LANGUAGE\n\n", "", "   ")),
    "AsciiDoc": Container(_file("docs/kept.adoc", "= Kept\n\n[source,LANGUAGE]\n----\n", "----\n")),
    "a comment in HTML": Container(_file("docs/kept.html", "<p>Kept</p>\n<!--\n", "-->\n")),
    "an example in HTML": Container(_escaped("docs/kept.html", "<p>Kept</p>\n<pre>\n", "</pre>\n")),
    "a script of data in HTML": Container(_file("docs/kept.html", "<script type='text/plain'>\n", "</script>\n")),
    "CDATA in SVG": Container(_file("docs/kept.svg", "<svg><script><![CDATA[\n", "]]></script></svg>\n"), OTHER_NAME),
    "YAML": Container(_file("ci/kept.yml", "steps:\n  - run: |\n", "", "      ")),
    "TOML": Container(_file("ci/kept.toml", "[kept]\ncode = '''\n", "'''\n")),
    "JSON": Container(_json, OTHER_NAME),
    "a notebook": Container(partial(_notebook, 0)),
    "a notebook in pieces of seven characters": Container(partial(_notebook, 7)),
    "a notebook of format 3": Container(_old_notebook),
    "a Dockerfile": Container(_file("Dockerfile", "FROM debian\nCOPY <<'KEPT' /kept\n", "KEPT\n")),
    "a makefile": Container(_file("Makefile", "define KEPT\n", "endef\n")),
    "a listing in TeX": Container(_file("docs/kept.tex", "\\begin{lstlisting}\n", "\\end{lstlisting}\n")),
    "braces of Tcl": Container(_file("src/kept.tcl", "set kept {\n", "}\n")),
    "a string of a shell": Container(_file("src/kept.sh", "kept='\n", "'\n")),
    "a patch": Container(_patch),
    "a table": Container(_csv, OTHER_NAME),
    "SQL": Container(_file("src/kept.sql", "INSERT INTO kept VALUES ($kept$\n", "$kept$);\n")),
    "a template": Container(_file("src/kept.ejs", "<% /* kept */\n", "%>\n")),
    "an ending of includes": Container(_file("src/kept.inc"), OTHER_LANGUAGE),
    "an unknown ending": Container(_file("src/kept.unheard-of")),
    "no ending": Container(_file("src/kept")),
    "the ending of another language": Container(_other_ending, OTHER_LANGUAGE),
    "the name of a licence": Container(_file("src/COPYING")),
    "the name of an image": Container(_file("src/kept.png"), OTHER_NAME),
    "binary data": Container(lambda sample: ("src/kept.bin", b"\0\1\2" + sample.text.encode("utf-16")), OTHER_NAME),
    "the target of a link": Container(lambda sample: (sample.path, Link(sample.text[:4000])), OTHER_NAME),
    "gzip": Container(lambda sample: ("src/kept.gz", gzip.compress(sample.text.encode(), mtime=0))),
    "gzip with an ending": Container(lambda s: (f"{s.path}.gz", gzip.compress(s.text.encode(), mtime=0))),
    **{f"an archive .{e}": _archived(f"lib/kept.{e}", _zipped) for e in ("zip", "whl", "jar")},
    "an archive .tar.gz": _archived("lib/kept.tar.gz", _tarred),
    "a wheel in a zip": _archived("lib/kept.zip", _zipped, "a/kept.whl"),
    "a jar in a tar.gz": _archived("lib/kept.tar.gz", _tarred, "a/kept.jar"),
    "base64": Container(lambda sample: ("src/kept.txt", base64.encodebytes(sample.text.encode())), ENCODED),
    "rot13": Container(lambda sample: (sample.path, codecs.encode(sample.text, "rot13")), ENCODED),
    "hexadecimal": Container(lambda sample: (sample.path, f'kept = "{sample.text.encode().hex()}"\n'), ENCODED),
    "reversed lines": Container(
        lambda sample: (sample.path, "".join(f"{line[::-1]}\n" for line in sample.text.splitlines())), ENCODED
    ),
}
