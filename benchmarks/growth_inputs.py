"""Texts for ``growth.py``: rows of one shape, as many as it asks for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from winnow_ci.languages.families import FAMILIES
from winnow_ci.languages.language_detection import extensions

if TYPE_CHECKING:
    from collections.abc import Iterator

GOLDEN = Path(__file__).parents[1] / "tests/golden/tokens"
FENCE = "`" * 3


class Input(NamedTuple):
    """A text of rows.

    Attributes:
        title: its name in the table.
        path: name of its file.
        row: one row; ``@`` stands for the row's number.
        before: what stands before the first row.
        after: what stands behind the last one.
        closing: what stands behind all rows, once for each of them.
        report: the format in which ``check`` reports it.
    """

    title: str
    path: str
    row: str
    before: str = ""
    after: str = ""
    closing: str = ""
    report: str = "json"

    def text(self, size: int, first: int) -> str:
        """Some ``size`` characters, in rows that are numbered from ``first`` on."""
        # One row more, so that texts without numbers differ, too.
        count = max(1, size // len(self.row + self.closing)) + (first > 0)
        rows = (self.row.replace("@", str(number)) for number in range(first, first + count))
        return "".join([self.before, *rows, self.closing * count, self.after])


def inputs() -> Iterator[Input]:
    """What stands below, then what each front end has for its tests, over and over."""
    yield from ROWS
    endings = {language: ending for ending, language in sorted(extensions(), reverse=True)}
    for family in FAMILIES:
        language = family.languages[0]
        code, ending = GOLDEN / f"{language}.code", endings.get(language)
        if code.exists() and ending:
            yield Input(f"front end {language}", f"code.{ending}", code.read_text())


CALL = "handler.register(name_@, compute(values[@], offset + 4), flags=[A, B], mode='x')"
CODE = "if (list[@] > limit) { total += list[@] * weight(@); } else { total -= 1; }"
NOTEBOOK = '{"metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4, "nbformat_minor": 5, "cells": [\n'
FUNCTION = """
func (m *Row@) Size() (n int) {
	if m == nil {
		return 0
	}
	var l int
	_ = l
	l = len(m.Name)
	n += 1 + l + sov(uint64(l))
	for _, e := range m.Items@ {
		n += e.Size()
	}
	return n
}
"""
BRANCH = "    if (((value_@))) % 3: yield @, value_@\n"

ROWS = (
    # Guests, and code in text.
    Input("tags of PHP", "page.php", "<?php $x[1] = f($a); ?>\n"),
    Input("tags in a page of PHP", "page.php", "<td><?= $x['@'] ?></td>\n<?php if ($a[@]): ?><b>\n<?php endif ?>\n"),
    Input("scripts", "page.html", f"<script>{CODE}</script>\n"),
    Input("styles", "page.html", "<style>.a@ { color: red; margin: @px; } .b { top: 0; }</style>\n"),
    Input("attributes with code", "page.html", f'<a onclick="{CODE}" href="#@">a</a>\n'),
    Input("comments of HTML", "page.html", f"<!-- {CODE} -->\n<p>@</p>\n"),
    Input("open tags", "page.html", "<a b='@"),
    Input("titles that do not end", "page.html", "<title>@<textarea>"),
    Input("scripts of Vue", "page.vue", f"<template><p :a='b[@]'>c</p></template>\n<script>{CODE}</script>\n"),
    Input("tags of JSP", "page.jsp", f"<% {CODE} %><%= a[@] %>\n"),
    Input("tags of ERB", "page.erb", "<% list[@].each do |a| %><%= f(a) %><% end %>\n"),
    Input("tags of Twig", "page.twig", "{% if a[@] %}{{ b(@) | c }}{% endif %}\n"),
    Input("fences", "page.md", f"Text @.\n\n{FENCE}js\n{CODE}\n{CODE}\n{FENCE}\n"),
    Input("code blocks", "page.rst", f"Text @::\n\n    {CODE}\n    {CODE}\n\n"),
    Input("cells", "page.ipynb", f'{{"cell_type": "code", "source": ["{CODE}\\n", "b = [@]"]}},\n', NOTEBOOK, "1]}\n"),
    Input("here-documents of a shell", "run.sh", f"cat > f@ <<'END@'\n{CODE}\n{CODE}\nEND@\n"),
    Input("here-documents of Ruby", "run.rb", f"a(<<~X@, <<-Y@)\n  {CODE}\nX@\n  {CODE}\n  Y@\n"),
    Input("here-documents of PHP", "run.php", f"$a = <<<X@\n{CODE}\nX@;\n", "<?php\n"),
    Input("quotes of a shell", "run.sh", f"awk '\n{CODE}\n{CODE}\n' f@\n"),
    Input("an open quote each line", "run.sh", "echo don't (a[@]);\n"),
    Input("dollar quotes", "run.sql", f"CREATE FUNCTION f@() RETURNS int AS $a@$ {CODE} $a@$ LANGUAGE plv8;\n"),
    Input("quotes of Perl", "run.pl", "my $x = q{f(a[@]);} . qq!g(b[@]);!; s{a[@]}{b(@)}g; m/[/@]/;\n"),
    Input("POD", "run.pl", f"=pod\n\n  {CODE}\n\n=cut\n\nf($a[@]);\n"),
    Input("quasi-quotes", "Run.hs", "f@ = [sql| select (a[@]); |] <> [r|{@}|]\n"),
    Input("templates", "run.js", "f(`a ${b[@] + `c ${d(`@`)} e`} f`);\n"),
    Input("a template in a template", "run.js", "`${", closing="}`"),
    Input("doubtful slashes", "run.js", "a = b / c[@] / d; e = f(/[/@]/g) / 2; }\n/x'@/.test(y)\n"),
    Input("JSX", "run.jsx", "<A b={c[@]} d={() => <E f='@'>it's {g(@)}</E>}>h</A>\n"),
    Input("interpolation", "run.cs", 'f($"a {b[@]} {c($"d {e[@]}")}");\n'),
    Input("macros", "run.rs", "f!{ a[@] => { b(c, @); } } 'a: loop { g::<'a>(r#\"h[@]\"#); }\n"),
    Input("raw strings", "run.cpp", f'f(R"x@({CODE})x@");\n'),
    Input("nested comments", "run.rs", "/* a[@]; ", closing="*/ "),
    Input("recipes", "Makefile", "all@: a@\n\t@echo 'f(a[@]);' && for i in $(B); do g $$i > h[@]; done\n"),
    Input("steps of an image", "Dockerfile", f"RUN f @ && echo '{CODE}' > a@\n"),
    Input("hunks of a patch", "change.patch", f"--- a/f@\n+++ b/f@\n@@ -@,2 +@,2 @@\n-{CODE}\n+{CODE}\n"),
    Input("scripts in YAML", "jobs.yml", f"- run@: |\n    {CODE}\n    {CODE}\n"),
    Input("scripts in JSON", "jobs.json", f'{{"run@": "{CODE}"}},\n', "[", "1]"),
    Input("text of no language", "notes.unknown", f"{CODE}\n"),
    Input("TeX", "page.tex", f"\\section{{a @}}\n\\begin{{verbatim}}\n{CODE}\n{CODE}\n\\end{{verbatim}}\n"),
    Input("Lisp", "run.lisp", '(defun f@ (a) "doc @" (list a (g @) #\\a \'(b c)))\n'),
    # One thing very often.
    Input("equal rows", "table.py", CALL.replace("@", "1").join(("    ", "\n")), "def table(handler):\n"),
    Input("rows of a known shape", "table.py", f"    {CALL}\n", "def table(handler):\n"),
    Input("rows of numbers", "table.c", "    { 0x@, @, 12, 7, 1.5, -@ },\n", "int table[] = {\n", "};\n"),
    Input("one long line", "table.js", CODE),
    Input("strings", "table.py", "'text of row @ that is long enough',\n", "a = [\n", "]\n"),
    Input("comments", "table.py", f"# {CODE}\nf(@)\n"),
    Input("one long comment", "table.c", f"{CODE}\n", "/*\n", "*/\n"),
    Input("one long string", "table.py", f"{CODE}\n", "a = '''\n", "'''\n"),
    Input("imports", "table.py", "from package_@.module import name_@, other as that_@\n"),
    Input("branches", "table.py", BRANCH, "def table(value):\n"),
    Input("brackets", "table.js", "([{a: ", closing="}])"),
    Input("functions", "table.go", FUNCTION, "package a\n"),
    Input("functions, as a page", "table.go", FUNCTION, "package a\n", report="html:page.html"),
    Input("comments that allow", "table.py", f"# winnow-ci: allow known row @\n{CALL}\n"),
    Input("carriage returns", "table.c", f"{CODE}\r"),
    Input("backslashes", "table.c", "a[@] \\\n"),
    Input("escapes of Java", "Table.java", "f(\\u0022a[@]\\u0022);\n"),
)  # fmt: skip
