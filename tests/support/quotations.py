"""Ways to put code into text: each makes a file in which no front end takes the code for code of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Quotation(NamedTuple):
    """A file that holds code as text.

    Attributes:
        path: its path.
        before, after: lines around the code.
        each: makes a line of the file of each line of the code.
    """

    path: str
    before: str
    after: str
    each: Callable[[str], str] = str

    def file(self, code: str) -> str:
        """The file with some code in it."""
        return self.before + "".join(self.each(line) + "\n" for line in code.splitlines()) + self.after


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace('"', '\\"')


def _markup(line: str) -> str:
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def notebook(*cells: tuple[str, str]) -> str:
    """A notebook of cells, each with its text and its type."""
    listed = [
        {"source": text.splitlines(keepends=True), "metadata": {}, "outputs": [], "cell_type": kind}
        for text, kind in cells
    ]
    return json.dumps({"cells": listed, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4}, indent=1)


QUOTATIONS = (
    Quotation("docstring.py", 'def f():\n    """Words.\n\n', '    """\n', lambda line: f"    {line}"),
    Quotation("raw.py", "TEXT = r'''\n", "'''\n"),
    Quotation("doctest.py", 'def f():\n    """Words.\n\n', '    """\n', lambda line: f"    >>> {line}"),
    Quotation("comments.py", "x = 1\n", "y = 2\n", lambda line: f"# {line}"),
    Quotation("lines.py", "TEXT = (\n", ")\n", lambda line: f'    "{_escaped(line)}\\n"'),
    Quotation("template.js", "const a = `\n", "`;\n", lambda line: line.replace("${", "\\${")),
    Quotation("array.js", "const a = [\n", "].join('\\n');\n", lambda line: f'  "{_escaped(line)}",'),
    Quotation("sum.java", 'class A { String s = ""\n', "; }\n", lambda line: f'    + "{_escaped(line)}\\n"'),
    Quotation("block.java", 'class A { String s = """\n', '"""; }\n'),
    Quotation("block.c", "int x;\n/*\n", "*/\nint y;\n"),
    Quotation("starred.c", "int x;\n/*\n", " */\nint y;\n", lambda line: f" * {line}"),
    Quotation("lines.c", "int x;\n", "int y;\n", lambda line: f"// {line}"),
    Quotation("raw.cpp", 'auto s = R"x(\n', ')x";\n'),
    Quotation("raw.go", "package a\n\nvar s = `\n", "`\n"),
    Quotation("cgo.go", "package a\n\n/*\n", '*/\nimport "C"\n'),
    Quotation("raw.rs", 'const S: &str = r#"\n', '"#;\n'),
    Quotation("lines.rs", "fn f() {}\n", "fn g() {}\n", lambda line: f"/// {line}"),
    Quotation("text.cs", 'class A { string s = """\n', '"""; }\n'),
    Quotation("here.sh", "#!/bin/sh\ncat > a <<'EOF'\n", "EOF\n"),
    Quotation("here.rb", "a = <<~EOF\n", "EOF\n"),
    Quotation("begin.rb", "a = 1\n=begin\n", "=end\nb = 2\n"),
    Quotation("pod.pl", "my $a = 1;\n\n=pod\n\n", "\n=cut\n\n1;\n"),
    Quotation("here.php", "<?php\n$a = <<<'EOF'\n", "EOF;\n"),
    Quotation("page.php", "<p>One.</p>\n<pre>\n", "</pre>\n<?php echo 1; ?>\n", _markup),
    Quotation("long.lua", "local s = [==[\n", "]==]\n"),
    Quotation("long.kt", 'val s = """\n', '"""\n'),
    Quotation("long.swift", 'let s = """\n', '"""\n'),
    Quotation("long.scala", 'val s = """\n', '"""\n'),
    Quotation("lines.sql", "SELECT 1;\n", "SELECT 2;\n", lambda line: f"-- {line}"),
    Quotation("tagged.sql", "INSERT INTO kept VALUES ($kept$\n", "$kept$);\n"),
    Quotation("dollars.sql", "DO LANGUAGE plpython3u $$\n", "$$;\nSELECT 1;\n"),
    Quotation("defined.mk", "all: a.o\n\ndefine KEPT\n", "endef\n"),
    Quotation("open.sh", "python3 -c '\n", "'\n", lambda line: line.replace("'", '"')),
    Quotation("opened.sh", "echo 'a\nb'\n", "echo 'a\nb'\n", lambda line: f"# {line}"),
    Quotation("quasi.hs", "a = [r|\n", "|]\n"),
    Quotation("tilde.pl", "my $a = q~\n", "~;\n"),
    Quotation("data.rb", "puts DATA.read\n__END__\n", ""),
    Quotation("braces.tcl", "set a {\n", "}\n"),
    Quotation("listing.tex", "\\begin{lstlisting}\n", "\\end{lstlisting}\n"),
    Quotation("python.vim", "python << EOF\n", "EOF\n"),
    Quotation("strings.clj", "(def a [\n", "])\n", lambda line: f'  "{_escaped(line)}"'),
    Quotation("text.unheard-of", "", ""),
    Quotation("no-ending", "", ""),
    Quotation("route.py,v", "@\n", "@\n"),
    Quotation("block.hs", "a = 1\n{-\n", "-}\nb = 2\n"),
    Quotation("block.ml", "let a = 1\n(*\n", "*)\nlet b = 2\n"),
    Quotation("comments.tcl", "set a 1\n", "set b 2\n", lambda line: f"# {line}"),
    Quotation("text.md", "# Title\n\nWords.\n\n```python\n", "```\n\nMore words.\n"),
    Quotation("indented.rst", "Title\n=====\n\n.. code::\n\n", "\nWords.\n", lambda line: f"    {line}"),
    Quotation("plain.txt", "", ""),
    Quotation("pre.html", "<html><body>\n<pre>\n", "</pre></body></html>\n", _markup),
    Quotation("comment.html", "<html>\n<!--\n", "-->\n</html>\n"),
    Quotation("template.html", '<script type="text/template">\n', "</script>\n"),
    Quotation("page.vue", "<template>\n<pre>\n", "</pre></template>\n", _markup),
    Quotation("page.erb", "<%\n", "%>\n"),
    Quotation("page.ejs", "<% /*\n", "*/ %>\n"),
    Quotation("page.gotmpl", '{{ define "a" }}\n', "{{ end }}\n"),
    Quotation("page.tmpl", "{{/*\n", "*/}}\n"),
    Quotation(
        "workflow.yml", "on: push\njobs:\n  a:\n    steps:\n      - run: |\n", "", lambda line: f"          {line}"
    ),
    Quotation("settings.toml", "[a]\nb = '''\n", "'''\n"),
    Quotation("page.xml", "<a><![CDATA[\n", "]]></a>\n"),
    Quotation("Dockerfile", "FROM a\nRUN python <<EOF\n", "EOF\n"),
    Quotation("change.patch", "--- a/x\n+++ b/x\n@@ -0,0 +1,30 @@\n", "", lambda line: f"+{line}"),
)
"""Each with the marks that its language has for text."""
