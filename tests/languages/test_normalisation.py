"""Text forms: what is undone, what is refused, and which line a thing is on."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from winnow_ci.languages import Untokenizable, first_reading, line_edges, tokenize
from winnow_ci.languages.normalisation import normalise

# ---- normalisation --------------------------------------------------------------------------------------------------

CODE = b"int a;\nint b;\n"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", b""),
        (b"\xef\xbb\xbf", b""),
        (b"a\r\nb\r\n", b"a\nb\n"),
        (b"a\rb", b"a\nb"),
        (b"a\rb\n", b"a\rb\n"),
        (b"a\r\r\nb", b"a\r\nb"),
        ("a\u00a0b\u200bc".encode(), b"a bc"),
        ("a\u2028b\n".encode(), b"a\rb\n"),
        (b"\xff\xfea\x00\n\x00\xff", "a\n\ufffd".encode()),
        (b"caf\xe9\xa0", b"caf\xe9\xa0"),
        (b"0123456789\0", b"0123456789 "),
    ],
)
def test_normal_form(content: bytes, text: bytes) -> None:
    assert normalise(content) == text


@pytest.mark.parametrize(
    ("content", "edges"),
    [
        (b"a\nbc", [0, 2, 4]),
        (b"a\r\nb\r\n", [0, 3, 6, 6]),
        (b"a\rb\r", [0, 2, 4, 4]),
        (b"a\rb\nc", [0, 4, 5]),
        (b"\xef\xbb\xbfa\nb", [0, 5, 6]),
    ],
)
def test_lines_are_found_in_the_bytes_of_the_file(content: bytes, edges: list[int]) -> None:
    found = line_edges(content)
    assert found is not None
    assert found.tolist() == edges


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_a_file_that_is_recoded_has_no_lines_in_its_bytes(encoding: str) -> None:
    assert line_edges(CODE.decode().encode(encoding)) is None


WIDE = CODE.decode().encode("utf-16-le")


@given(st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\0", b"\xff\xfe", "\u2028".encode(), WIDE])).map(b"".join))
@example(b"x" * 5000 + WIDE + b"\n")
def test_the_bytes_have_as_many_lines_as_the_text(content: bytes) -> None:
    try:
        text = normalise(content)
    except Untokenizable:
        return
    edges = line_edges(content)
    assert edges is None or len(edges) - 2 == text.count(b"\n")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings_of_code_are_read(encoding: str) -> None:
    assert normalise(CODE.decode().encode(encoding)) == CODE


@pytest.mark.parametrize(
    ("ascii_letters", "low_nul", "is_read"),
    [(100, 0, True), (41, 0, True), (40, 0, False), (60, 2, True), (60, 3, False)],
)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_how_much_of_unmarked_utf_16_must_be_ascii(
    ascii_letters: int, low_nul: int, is_read: bool, encoding: str
) -> None:
    """Of 100 characters more than 40 must be ASCII, and at most two may have a low byte that is NUL."""
    text = ("a" * ascii_letters + "\u0100" * low_nul).ljust(100, "\u4eba")
    assert (normalise(text.encode(encoding)) == text.encode()) == is_read


SCRIPT = b"""fetch() {
  local url=$1 tries=${2:-5} wait=1 code
  while [ "$tries" -gt 0 ]; do
    code=$(curl --silent --output "$3" "$url") || code=000
    [ "$code" = 200 ] && return 0; sleep "$wait"; tries=$((tries - 1))
  done
}
"""
MARKS = [codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE]
CHINESE = "\n".join("".join(chr(0x4E00 + 37 * (line + place) % 0x5000) for place in range(30)) for line in range(9))


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("between", [b"", b"\n", "# caf\xe9\n".encode(), b"\n\xef\xbb\xbf", b"x" * 5001 + b"\n"])
def test_a_mark_before_bytes_is_not_believed(mark: bytes, between: bytes) -> None:
    assert SCRIPT in normalise(mark + between + SCRIPT)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("is_marked", [True, False])
@pytest.mark.parametrize("times", [1, 30])
def test_text_half_in_utf_16_and_half_in_bytes_is_read(
    encoding: str, is_first: bool, is_marked: bool, times: int
) -> None:
    """A shell skips NUL bytes, a browser decodes, and PHP passes over what stands before its tag."""
    wide, other = (SCRIPT * times).decode().encode(encoding), SCRIPT.replace(b"fetch", b"other") * 30
    mark = "\ufeff".encode(encoding) * is_marked
    text = normalise(mark + (wide + other if is_first else other + wide))
    assert text.count(SCRIPT) == times
    assert text.count(b"other") == 30


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", [SCRIPT.decode(), CHINESE, f"{CHINESE}\n{SCRIPT.decode()}", "\u3053\u308c\u306f" * 99])
def test_text_behind_its_mark_is_decoded(encoding: str, text: str) -> None:
    assert normalise("\ufeff".encode(encoding) + text.encode(encoding)) == text.encode()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_damaged_utf_16_is_still_decoded(encoding: str) -> None:
    """With lone surrogates, and half a character at the end."""
    text = f"{SCRIPT.decode()}# \ud800 \udc00\n"
    content = ("\ufeff" + text).encode(encoding, "surrogatepass") + b"\x7d"
    assert normalise(content).startswith(SCRIPT)


@pytest.mark.parametrize("content", [b"\0" * 100, b"\x7fELF\0\0\0\0" * 9, b"int a;\0" * 3, b"\0", b"012345678\0"])
def test_binary_content_is_out_of_scope(content: bytes) -> None:
    with pytest.raises(Untokenizable, match="binary content") as refused:
        tokenize("c", content)
    assert refused.value.state == "out-of-scope"


def test_a_pointer_to_content_elsewhere_is_not_scanned() -> None:
    with pytest.raises(Untokenizable, match="LFS") as refused:
        tokenize("c", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n")
    assert refused.value.state == "not-scanned"


def test_what_only_begins_like_a_pointer_is_read() -> None:
    assert len(tokenize("bash", b"version https://git-lfs.github.com/spec/v1\n" + SCRIPT * 5)) > 100


@pytest.mark.parametrize("language", ["c", "python", "rust", "markdown"])
@pytest.mark.parametrize("content", [b"", b"\n\n", b"  \t", b"\xef\xbb\xbf\r\n"])
def test_nothing_has_no_tokens(language: str, content: bytes) -> None:
    assert len(tokenize(language, content)) == 0


@pytest.mark.parametrize("language", ["c", "javascript", "rust", "markdown"])
@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_lines_are_those_of_the_file(language: str, newline: bytes) -> None:
    content = newline.join([b"one", b"", b"two \xc3\xa9 three", b"four"])
    assert tokenize(language, content).first_lines.tolist() == [1, 3, 3, 3, 4]


# ---- declared encoding ----------------------------------------------------------------------------------------------

HIDING = ["raw_unicode_escape", "unicode_escape", "utf-7", "rot13", "utf_16", "quopri", "punycode", "hex", "base64"]
PLAIN = [
    "utf-8",
    "latin-1",
    "cp1252",
    "iso-8859-15",
    "koi8-r",
    "gbk",
    "euc-jp",
    "big5",
    "ascii",
    "utf-8-sig",
    "mac-roman",
]


@pytest.mark.parametrize("name", HIDING)
@pytest.mark.parametrize(
    "line", ["# coding: {}\n", "#!/usr/bin/python\n# -*- coding: {} -*-\n", "\r\n  # vim: coding={}\r\n"]
)
def test_an_encoding_that_hides_code_is_not_scanned(line: str, name: str) -> None:
    with pytest.raises(Untokenizable, match=name) as raised:
        first_reading("python", f"{line.format(name)}x = 1\n".encode())
    assert raised.value.state == "not-scanned"


@pytest.mark.parametrize("name", [*PLAIN, "unheard-of", "..", "winnow_ci"])
def test_other_encodings_are_read(name: str) -> None:
    assert len(first_reading("python", f"# coding: {name}\nx = 1\n".encode()).tokens) == 3


def test_only_the_first_two_lines_declare() -> None:
    assert len(first_reading("python", b"x = 1\n\n# coding: rot13\n").tokens) == 3


def test_other_languages_declare_nothing() -> None:
    assert len(first_reading("ruby", b"# coding: rot13\nx = 1\n").tokens) == 3
