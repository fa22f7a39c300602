"""Token streams of the languages beyond the first five families, and what is peculiar to each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.token_rows import rows_of, written
from winnow_ci.languages import comments, front_end_of, language_of, normalise, scanner, tokenize
from winnow_ci.languages.families import FAMILIES

FAMILY = {language: family for family in FAMILIES for language in family.languages}

SNIPPETS = {
    "haskell": (
        b"""\
{-# LANGUAGE X #-} -- it's {-
f' :: a -> Maybe' Char {- {- " -} ' -}
f' x@'\\'' = x >>= \\y -> [1..0x1F] --> "a--" .|. 1.5e3
""",
        {
            2: "i f' · w :: · i a · w -> · i Maybe' · i Char",
            3: (
                "i f' · i x · w @ · s '\\'' · w = · i x · w >>= · w \\ · i y · w -> · w [ · n 1 · w .. · "
                'n 0x1F · w ] · w --> · s "a--" · w .|. · n 1.5e3'
            ),
        },
    ),
    "ocaml": (
        b"""\
(* it's (* nested *) " *) let f' (x : 'a) = x.y <- 'c' ;;
let s = {id|a " (* |} |id} ^ "b\\"(*" +. 1.
""",
        {
            1: ("w let · i f' · w ( · i x · w : · w ' · i a · w ) · w = · i x · w . · i y · w <- · s 'c' · w ;;"),
            2: 'w let · i s · w = · s {id|a " (* |} |id} · w ^ · s "b\\"(*" · w +. · n 1.',
        },
    ),
    "erlang": (
        b"""\
f(X) when X =:= $" -> 'an atom', 16#FF; % it's
f(_) -> "a%b" ++ ?M, ok@b, 1.
""",
        {
            1: ("i f · w ( · i X · w ) · w when · i X · w =:= · s $\" · w -> · s 'an atom' · w , · n 16#FF · w ;"),
            2: 'i f · w ( · w _ · w ) · w -> · s "a%b" · w ++ · w ? · i M · w , · i ok@b · w , · n 1 · w .',
        },
    ),
    "bash": (
        b"""\
#!/bin/sh
if [ $# -gt 1 ] && [[ "$a" == 'it' ]]; then # isn't
  echo "${b#x}" ${b} $'it\\'s' a#b $((1 << n)) \\' 2>&1
fi; cat <<-'END' | x
\t# it's text
\tEND
done
""",
        {
            2: (
                "w if · w [ · w $# · w - · i gt · n 1 · w ] · w && · w [[ · s \"$a\" · w == · s 'it' · "
                "w ]] · w ; · w then"
            ),
            3: (
                "w echo · s \"${b#x}\" · i ${b · w } · s $'it\\'s' · i a · i b · w $(( · n 1 · w << · "
                "i n · w )) · w \\' · n 2 · w >& · n 1"
            ),
            4: "w fi · w ; · i cat · s <<-'END' | x\n\t# it's text\n\tEND",
            7: "w done",
        },
    ),
    "powershell": (
        b"""\
<# it's #> IF ($Env:Path -EQ "a`"b") { Get-Item -Path 'C:\\' } # "
$x = @"
 it's "
"@ + @{a=1}; $n-1
""",
        {
            1: ('w if · w ( · i $env:path · w -eq · s "a`"b" · w ) · w { · i get-item · i -path · s \'C:\\\' · w }'),
            2: 'i $x · w = · s @"\n it\'s "\n"@',
            4: "w + · w @{ · i a · w = · n 1 · w } · w ; · i $n · w - · n 1",
        },
    ),
    "sql": (
        b"""\
SELECT "A" || 'it''s' -- don't
FROM Users u /* ' */ WHERE u.Id = @Id AND x LIKE '\\' ;
DO $body$ begin end $body$ # that's
""",
        {
            1: "w select · s \"A\" · w || · s 'it''s'",
            2: (
                "w from · i users · i u · w where · i u · w . · i id · w = · i @id · w and · i x · "
                "w like · s '\\' · w ;"
            ),
            3: "w do · w $body$ · w begin · w end · w $body$",
        },
    ),
    "scss": (
        b"""\
@media (min-width: 10.5px) { .my-box, #add::after { color: #fff; } } // it's
a { background: url(//x.org/a'b) ; $the-w: 5% ; --x: -webkit-box } /* " */
""",
        {
            1: (
                "w @media · w ( · w min-width · w : · n 10.5px · w ) · w { · w . · i my-box · w , · "
                "n #add · w :: · i after · w { · w color · w : · n #fff · w ; · w } · w }"
            ),
            2: ("i a · w { · w background · w : · s url(//x.org/a · s 'b) ; $the-w: 5% ; --x: -webkit-box } /* \" */"),
        },
    ),
    "terraform": (
        b"""\
resource "aws_x" "my-x" { # it's
  user-data = <<-EOT
    # it's
    EOT
  n = var.a ? 1 : "${x}" // "
}
""",
        {
            1: 'w resource · s "aws_x" · s "my-x" · w {',
            2: "i user-data · w = · s <<-EOT\n    # it's\n    EOT",
            5: 'i n · w = · i var · w . · i a · w ? · n 1 · w : · s "${x}"',
            6: "w }",
        },
    ),
    "protobuf": (
        b'message A { repeated int32 b = 1 [default = -2]; } // it\'s\n/* " */ import "a//b";\n',
        {
            1: (
                "w message · i A · w { · w repeated · w int32 · i b · w = · n 1 · w [ · i default · w = · "
                "w - · n 2 · w ] · w ; · w }"
            ),
            2: 'w import · s "a//b" · w ;',
        },
    ),
    "verilog": (
        b"""\
`ifdef X // it's
always @(posedge clk) q <= #1 4'b10_1x + 'hFF + '0; /* " */
assign s = '{a'(b), $signed(c)} >>> 2;
""",
        {
            1: "w `ifdef · i X",
            2: (
                "w always · w @ · w ( · w posedge · i clk · w ) · i q · w <= · w # · n 1 · n 4'b10_1x · "
                "w + · n 'hFF · w + · n '0 · w ;"
            ),
            3: (
                "w assign · i s · w = · w '{ · i a · w ' · w ( · i b · w ) · w , · i $signed · w ( · i c · "
                "w ) · w } · w >>> · n 2 · w ;"
            ),
        },
    ),
    "vhdl": (
        b"""\
IF Clk'Event and clk = '1' THEN -- it's
  q <= X"F""F" & std_logic_vector'("--") ** 16#FF#e1;
""",
        {
            1: "w if · i clk · w ' · i event · w and · i clk · w = · s '1' · w then",
            2: (
                'i q · w <= · s X"F""F" · w & · i std_logic_vector · w \' · w ( · s "--" · w ) · w ** · '
                "n 16#ff#e1 · w ;"
            ),
        },
    ),
    "nasm": (
        b"%macro x 1 ; it's\n.loop: MOV eax, [rbx+0FFh] ; \"\ndb 'a;b', `c`\n",
        {
            1: "w %macro · i x · n 1",
            2: "i .loop · w : · w mov · i eax · w , · w [ · i rbx · w + · n 0ffh · w ]",
            3: "w db · s 'a;b' · w , · s `c`",
        },
    ),
    "gas": (
        b"""\
#define X 1 // it's
.globl f /* " */
f: movq $5, %rax # it's
 cmpb $'"', %al; mov r0, #1 @ it's
 jne 1b; call f@PLT
""",
        {
            1: "w define · i x · n 1",
            2: "w .globl · i f",
            3: "i f · w : · w movq · i $5 · w , · w % · i rax",
            4: "w cmpb · i $ · s '\"' · w , · w % · i al · w ; · w mov · i r0 · w , · n 1",
            5: "w jne · n 1b · w ; · w call · i f · i plt",
        },
    ),
    "fortran": (
        b"""\
IF (x .GE. 1.0d0 .and. s // 'it''s' == "!") & ! it's
  & CALL f(a%b, 1.eq.2, .5_dp)
""",
        {
            1: ("w if · w ( · i x · w .ge. · n 1.0d0 · w .and. · i s · w // · s 'it''s' · w == · s \"!\" · w )"),
            2: "w call · i f · w ( · i a · w % · i b · w , · n 1 · w .eq. · n 2 · w , · n .5_dp · w )",
        },
    ),
    "fortranfixed": (
        b"""\
C     it's a comment
* and "another
      CALL f(a,
     +       b) ! it's
 10   continue
""",
        {
            3: "w call · i f · w ( · i a · w ,",
            4: "i b · w )",
            5: "n 10 · w continue",
        },
    ),
    "matlab": (
        b"""\
%{
 it's
%}
x = a' * [b.' 'it''s' "%"]' ; % it's
y = x(1)' ... it's
 .^ 2.*c; case 'a'
""",
        {
            4: ("i x · w = · i a · w ' · w * · w [ · i b · w .' · s 'it''s' · s \"%\" · w ] · w ' · w ;"),
            5: "i y · w = · i x · w ( · n 1 · w ) · w '",
            6: "w .^ · n 2 · w .* · i c · w ; · w case · s 'a'",
        },
    ),
    "solidity": (
        b"function f(uint256 a) external { x[msg.sender] **= hex'ff' >>> 1 ether; } // it's\n",
        {
            1: (
                "w function · i f · w ( · w uint256 · i a · w ) · w external · w { · i x · w [ · i msg · "
                "w . · i sender · w ] · w ** · w = · s hex'ff' · w >>> · n 1 · w ether · w ; · w }"
            ),
        },
    ),
    "zig": (
        b"""\
const x = @import("a//b"); // it's
const y: ?[]const u8 = if (x.ptr.*) |c| 'c' else
    \\\\ it's // "text"
    ;
for (0..n) |_| a +%= 0x1f;
""",
        {
            1: 'w const · i x · w = · i @import · w ( · s "a//b" · w ) · w ;',
            2: (
                "w const · i y · w : · w ? · w [ · w ] · w const · w u8 · w = · w if · w ( · i x · w . · i ptr · "
                "w .* · w ) · w | · i c · w | · s 'c' · w else"
            ),
            3: 's \\\\ it\'s // "text"',
            4: "w ;",
            5: "w for · w ( · n 0 · w .. · i n · w ) · w | · i _ · w | · i a · w +%= · n 0x1f · w ;",
        },
    ),
}


def tokens_of(stream: dict[int, str]) -> dict[int, list[str]]:
    return {line: tokens.split(" · ") for line, tokens in stream.items()}


@pytest.mark.parametrize("language", SNIPPETS)
def test_token_stream(language: str) -> None:
    code, stream = SNIPPETS[language]
    assert rows_of(tokenize(language, code)) == written(FAMILY[language].name, tokens_of(stream))


def test_all_families_have_a_golden_stream_somewhere() -> None:
    first_five = {"c", "python", "javascript", "java", "go"}
    assert {FAMILY[language] for language in SNIPPETS} == {one for one in FAMILIES if one.name not in first_five}


@pytest.mark.parametrize("language", SNIPPETS)
def test_a_fragment_has_the_tokens_that_it_has_in_its_file(language: str) -> None:
    """Whatever stands before, closed or not: tokens of a following line are the same."""
    code, _ = SNIPPETS[language]
    alone = tokenize(language, code).verbatim.tolist()
    for before in (b"x = 'it\n", b'x = "it\n', b"# it's\n", b"} ) ]\n"):
        assert tokenize(language, before + code.removeprefix(b"#!/bin/sh\n")).verbatim.tolist()[-len(alone) :] == alone


@pytest.mark.parametrize("language", SNIPPETS)
@given(text=st.text("aE01 \n\t'\"`$#%{}()|-*/!&.;<>@=\\\0éC", max_size=60))
def test_pieces_are_all_of_any_text(language: str, text: str) -> None:
    code = normalise(text.encode().replace(b"\0", b" "))
    cut = scanner.pieces(code, FAMILY[language])
    assert len(b"".join(cut)) == len(code)
    assert all(cut)
    tokenize(language, code)


@pytest.mark.parametrize("name", ["haskell", "ocaml"])
@given(text=st.text("o c\n", max_size=40))
def test_nested_comments_end_where_their_depth_does(name: str, text: str) -> None:
    opens, closes = {"haskell": ("{-", "-}"), "ocaml": ("(*", "*)")}[name]
    code = text.replace("o", f" {opens} ").replace("c", f" {closes} ")
    parts, depth = code.split(), 0
    for mark in parts:
        depth = depth + 1 if mark == opens else max(0, depth - 1)
    if depth:
        return
    expected, depth = 0, 0
    for mark in parts:
        expected += mark == closes and depth == 0
        depth = depth + 1 if mark == opens else max(0, depth - 1)
    assert len(tokenize(name, code.encode())) == 2 * expected


def test_an_unclosed_depth_hides_no_code() -> None:
    assert len(tokenize("haskell", b"{- {- -} x\ny {- -} z {- {- -} -}")) == 5


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("sql", b"SELECT Id FROM T", b"select id from t"),
        ("vhdl", b"END Entity;", b"end ENTITY;"),
        ("fortran", b"Call F(1.D0)", b"CALL f(1.d0)"),
        ("powershell", b"Get-Item $A -EQ 1", b"GET-ITEM $a -eq 1"),
        ("html", b"<DIV Class=a>", b"<div class=a>"),
        ("nasm", b"MOV EAX, 1", b"mov eax, 1"),
        ("fortran", b"call f(a, b)", b"call f(a, & ! why\n  & b)"),
        ("matlab", b"f(a, b)", b"f(a, ... why\n b)"),
        ("powershell", b"f -a b", b"f -a `\n b"),
        ("bash", b"f -a b", b"f -a \\\n b"),
    ],
)
def test_what_changes_no_token(language: str, one: bytes, other: bytes) -> None:
    assert tokenize(language, one).verbatim.tolist() == tokenize(language, other).verbatim.tolist()


def test_both_forms_of_fortran_have_the_same_tokens() -> None:
    fixed, free = tokenize("fortranfixed", b"c x\n      call f(a,\n     1 b)"), tokenize("fortran", b"call f(a, &\n b)")
    assert fixed.verbatim.tolist() == free.verbatim.tolist()
    assert front_end_of("fortran").name == front_end_of("fortranfixed").name


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("haskell", 'x = \'"\' -- one\ny = "-- no"\n{- two {- three -}\n-}\n', [(1, 1, 1), (3, 3, 4)]),
        ("bash", "x=${#a} # one\n", [(1, 1, 1)]),
        ("powershell", "x 'no' <# one\n#>\n", [(1, 1, 2)]),
        ("fortranfixed", "c winnow\n      x = '! no'\n", [(1, 1, 1)]),
        ("ocaml", 'let x = "(* no"\n(* one *)\n', [(2, 2, 2)]),
        (
            "vue",
            "<p>// no</p>\n<script>\n// one\n</script>\n<!-- two -->\n<style>\n/* three */",
            [(3, 3, 3), (5, 5, 5), (7, 7, 7)],
        ),
        ("css", "a { b: url(//no) } /* one */", [(1, 1, 1)]),
    ],
)
def test_comments(language: str, text: str, found: list[tuple[int, int, int]]) -> None:
    assert [(c.line, c.first, c.last) for c in comments(language, text.encode())] == found


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.hs", "haskell"),
        ("a.erl", "erlang"),
        ("a.psm1", "powershell"),
        ("a.scss", "scss"),
        ("a.svelte", "vue"),
        ("a.f90", "fortran"),
        ("a.f", "fortranfixed"),
        ("a.F90", "fortran"),
        ("a.vhd", "vhdl"),
        ("a.tf", "terraform"),
        ("a.proto", "protobuf"),
        ("a.sol", "solidity"),
        ("a.zig", "zig"),
    ],
)
def test_files(path: str, language: str) -> None:
    assert language_of(path, b"") == language
    assert front_end_of(language).name != "pygments"
