"""Text forms: what is undone, what is refused, and which line a thing is on."""

from __future__ import annotations

import pytest

from winnow_ci.languages import Untokenizable, tokenize
from winnow_ci.languages.normalisation import normalise

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
    content = ("a" * ascii_letters + "\u0100" * low_nul).ljust(100, "\u4e2d").encode(encoding)
    if is_read:
        assert normalise(content).decode() == content.decode(encoding)
    else:
        with pytest.raises(Untokenizable, match="binary content"):
            normalise(content)


@pytest.mark.parametrize("content", [b"\0" * 100, b"\x7fELF\0\0\0\0" * 9, b"int a;\0" * 3, b"\0", b"012345678\0"])
def test_binary_content_is_out_of_scope(content: bytes) -> None:
    with pytest.raises(Untokenizable, match="binary content") as refused:
        tokenize("c", content)
    assert refused.value.state == "out-of-scope"


def test_a_pointer_to_content_elsewhere_is_not_scanned() -> None:
    with pytest.raises(Untokenizable, match="LFS") as refused:
        tokenize("c", b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n")
    assert refused.value.state == "not-scanned"


@pytest.mark.parametrize("language", ["c", "python", "rust", "markdown"])
@pytest.mark.parametrize("content", [b"", b"\n\n", b"  \t", b"\xef\xbb\xbf\r\n"])
def test_nothing_has_no_tokens(language: str, content: bytes) -> None:
    assert len(tokenize(language, content)) == 0


@pytest.mark.parametrize("language", ["c", "javascript", "rust", "markdown"])
@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_lines_are_those_of_the_file(language: str, newline: bytes) -> None:
    content = newline.join([b"one", b"", b"two \xc3\xa9 three", b"four"])
    assert tokenize(language, content).first_lines.tolist() == [1, 3, 3, 3, 4]
