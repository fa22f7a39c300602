"""Languages whose line comments begin with a hash sign."""

from __future__ import annotations

from winnow_ci.languages.families.shape import ARITHMETIC, Family, Span, words

PYTHON = Family(
    name="python",
    revision=1,
    languages=("python", "python2"),
    line_comment=b"#",
    spans=(
        Span("string", b'"""', (rb'"""', rb'[rRbBuUfFtT]{1,2}"""'), closer=b'"""', escapes=True),
        Span("string", b"'''", (rb"'''", rb"[rRbBuUfFtT]{1,2}'''"), closer=b"'''", escapes=True),
    ),
    operators=ARITHMETIC + words(b"-> ** **= // //= := @= <>"),
    keywords=frozenset(
        words(
            b"False None True and as assert async await break class continue def del elif else except finally for from",
            b"global if import in is lambda nonlocal not or pass raise return try while with yield",
        )
    ),
    prefix=rb"[rRbBuUfFtT]{1,2}",
)
