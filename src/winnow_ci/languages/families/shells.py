r"""Shells. Reading them exactly takes a parser; these rules read code the same wherever it stands.

A string ends with its line, although in both shells it may go on. So an odd quotation mark, or a fragment that begins
inside a string, misleads for one line instead of the rest of the file, and a program in a string (``awk '``) is read
as code, whole or in parts. Quotes inside ``"$(...)"`` end the string; it begins again after them.
"""

from __future__ import annotations

from winnow_ci.languages.families.quotation import POWERSHELL_QUOTES, SHELL_QUOTES
from winnow_ci.languages.families.syntax import (
    ALL_WORDS,
    LanguageFamily,
    LexemeRule,
    SpanRule,
    line_comment,
    line_string,
    word_set,
    words,
)

SHELL = LanguageFamily(
    name="shell",
    revision=1,
    languages=("bash",),
    line_comment=b"#",
    spans=(
        # The rest of the opener's line is read as part of the string. Not in arithmetic: ((1 << N)).
        SpanRule(
            "string",
            b"<<",
            (rb"<(?<![<0-9$)]<)<-?[ \t]*[\"'\\]?([A-Za-z_]\w{0,60})(?![\w.])(?![^\n)\0]{0,80}\)\))",),
            closer=rb"\n\t*\1(?![^\n\0])",
        ),
    ),
    operators=words(
        b"&& || ;; ;& ;;& >> << <<< <<- >& <& >| &> &>> <> |& == != =~ += -= *= /= $( $(( (( )) [[ ]] ## %%"
    )
    + words(b":- := :+ :? ++ -- ** <= >= //"),
    rules=(
        line_comment(rb"#(?<![^\x01-\x20;&|()`]#)"),
        LexemeRule("string", rb"\$'[^'\\\n\0]*(?:\\[^\0][^'\\\n\0]*){0,4095}'?", starts=rb"\$'"),
        LexemeRule("name", rb"\$(?:\w+|\{[!#]?\w*|[#?!@*$-])"),
        LexemeRule("word", rb"\\[^\n\0]"),
        line_string(b"'"),
    ),
    keywords=word_set(
        b"break case continue coproc declare do done elif else esac eval exec exit export fi for function if in",
        b"local readonly return select set shift source then time trap typeset unset until while alias cd echo",
        b"false printf pwd read test true $# $? $! $@ $* $$ $- $0 $1 $2 $3 $4 $5 $6 $7 $8 $9",
    ),
    quotes=b'"',
    care=SHELL_QUOTES.care(),
)

POWERSHELL = LanguageFamily(
    name="powershell",
    revision=1,
    languages=("powershell",),
    line_comment=b"#",
    spans=(
        SpanRule("comment", b"<#", (rb"<#",), closer=rb"#>"),
        SpanRule("string", b'@"', (rb'@"(?=[ \t]*\n)',), closer=rb'\n"@'),
        SpanRule("string", b"@'", (rb"@'(?=[ \t]*\n)",), closer=rb"\n'@"),
    ),
    operators=words(b"&& || :: ++ -- += -= *= /= %= .. >> 2> 2>> >& $( @( @{ ?? ??= ?. ?["),
    rules=(
        line_comment(rb"#(?<![^\x01-\x20;&|(){}=,]#)"),
        line_string(b'"', escape=b"`"),
        line_string(b"'"),
        LexemeRule("name", rb"\$(?:\w+(?::\w+)?|[?^$]|\{[^{}\n\0]{0,80})", starts=rb"\$[\w?^${]"),
        # Operators (-eq), names of parameters, and names of commands, which have several parts.
        LexemeRule("name", rb"-[A-Za-z_]\w*"),
        LexemeRule("name", rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*(?:-[A-Za-z_][\w\x80-\xff]*){0,40}"),
        LexemeRule("mark", rb"`(?=[ \t]*\n)", starts=rb"`\Z"),
        LexemeRule("word", rb"`[^\n\0]"),
    ),
    keywords=word_set(
        b"begin break catch class continue data do dynamicparam else elseif end enum exit filter finally for",
        b"foreach from function hidden if in param process return static switch throw trap try until using while",
        b"$true $false $null $_ $this $args $input $matches $psitem $error $lastexitcode -eq -ne -gt -ge -lt -le",
        b"-like -notlike -match -notmatch -contains -notcontains -in -notin -replace -split -join -is -isnot -as",
        b"-and -or -not -xor -band -bor -bnot -bxor -shl -shr -f -ceq -cne -ieq -ine -clike -cmatch -creplace",
        b"-csplit",
    ),
    quotes=b"",
    any_case=ALL_WORDS,
    care=POWERSHELL_QUOTES.care(),
)
