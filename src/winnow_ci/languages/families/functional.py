"""Haskell, OCaml and Erlang."""

from __future__ import annotations

from winnow_ci.languages.families.quotation import ERLANG_QUOTES, OCAML_QUOTES
from winnow_ci.languages.families.syntax import (
    ARITHMETIC,
    LanguageFamily,
    LexemeRule,
    SpanRule,
    line_comment,
    word_set,
    words,
)

_CHARACTER = LexemeRule("string", rb"'(?:\\[^\n\0][^'\\\n\0]{0,8}'|[^'\\\n\0]'|[\x80-\xff]{2,4}')")
"""A character in quotes. Any other single quote marks a type variable or a promoted constructor."""

_PRIMES = rb"[\w\x80-\xff']*"

_SYMBOLS = rb"!#$%&*+./<=>?@\\^|~:-"

HASKELL = LanguageFamily(
    name="haskell",
    revision=1,
    languages=("haskell",),
    line_comment=b"--",
    spans=(
        SpanRule("comment", b"{-", (rb"\{-",), closer=rb"-\}", nests=(b"{-", b"-}")),
        # Only where the extension is named: [x|x<-xs] is a list elsewhere.
        SpanRule("string", b"QuasiQuotes", (rb"\[[A-Za-z_][\w.']*\|(?!\|)",), closer=rb"\|\]"),
    ),
    operators=(),
    rules=(
        # More symbols make it an operator.
        line_comment(rb"--+(?![%b])" % _SYMBOLS),
        _CHARACTER,
        # Here a number never ends with a dot, which may be an operator.
        LexemeRule("number", rb"0[xXoObB]\w*|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9]+)?"),
        LexemeRule("word", rb"[%b]+" % _SYMBOLS),
    ),
    keywords=word_set(
        b"as case class data default deriving do else family forall foreign hiding if import in infix infixl",
        b"infixr instance let mdo module newtype of pattern proc qualified rec then type where _",
    ),
    quotes=b'"',
    name_end=_PRIMES,
)

# Comments are read for the strings in them (OCaml, 11.1), but only for short ones, since a lone mark must not mislead.
_STRINGS_IN_COMMENTS = (
    rb"'\"'|'\\[\"']'|\"(?:[^\"\\\n\0]|\\[^\n\0]){0,200}\""
    rb"|\{(?P<quote>[a-z_]{0,16})\|[^\n\0]{0,200}?\|(?P=quote)\}"
)

OCAML = LanguageFamily(
    name="ocaml",
    revision=1,
    languages=("ocaml",),
    line_comment=b"",
    spans=(
        SpanRule(
            "comment", b"(*", (rb"\(\*(?!\))",), closer=rb"\*\)", nests=(b"(*", b"*)"), between=_STRINGS_IN_COMMENTS
        ),
        SpanRule("string", b"|}", (rb"\{([a-z_]{0,16})\|",), closer=rb"\|\1\}"),
    ),
    operators=words(b"-> <- := :: .. ;; == != <> <= >= && || += -= *. +. -. /. ** |> @@ >>= >> << ^^ ~- [| |] [< >] :>")
    + words(b"let* and* let+ and+ =<< >>| <$> <*> $> >|= %%"),
    rules=(_CHARACTER,),
    keywords=word_set(
        b"and as assert asr begin class constraint do done downto else end exception external false for fun",
        b"function functor if in include inherit initializer land lazy let lor lsl lsr lxor match method mod",
        b"module mutable new nonrec object of open or private rec sig struct then to true try type val virtual",
        b"when while with _",
    ),
    quotes=b'"',
    name_end=_PRIMES,
    care=OCAML_QUOTES.care(),
)

ERLANG = LanguageFamily(
    name="erlang",
    revision=1,
    languages=("erlang",),
    line_comment=b"%",
    spans=(SpanRule("string", b'"""', (rb'"""(?=[ \t]*\n)',), closer=rb'\n[ \t]*"""'),),
    operators=ARITHMETIC + words(b"-> <- => := :: ++ -- =:= =/= =< /= || .. <= << >> ?="),
    rules=(
        # A dot that no digit follows ends a clause.
        LexemeRule("number", rb"[0-9][0-9_]*(?:#\w+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)?"),
        LexemeRule("string", rb"\$(?:\\[^\n\0]|[^\\\n\0\x80-\xff]|[\x80-\xff]{1,4})?"),
    ),
    keywords=word_set(
        b"after and andalso band begin bnot bor bsl bsr bxor case catch cond div else end fun if let maybe not of",
        b"or orelse receive rem try when xor behaviour callback define endif export export_type ifdef ifndef",
        b"include include_lib module opaque record spec undef _",
    ),
    name_end=rb"[\w\x80-\xff@]*",
    care=ERLANG_QUOTES.care(),
)
