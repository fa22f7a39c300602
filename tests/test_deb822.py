"""Paragraphs of Debian's control files: what is read, and what is refused where hashes are at stake."""

from __future__ import annotations

import pytest

from winnow_ci import deb822

HASH = "a1" * 32
DSC = f"""\
Format: 3.0 (quilt)
# a comment
Source: hello
Checksums-Sha256:
 {HASH} 725946 hello_2.10.orig.tar.gz
 {"b2" * 32} 12688 hello_2.10-3.debian.tar.xz
Description: a greeting
 in two lines

Source: another
"""
SIGNED = f"""\
-----BEGIN PGP SIGNED MESSAGE-----
Hash: SHA512

{DSC.replace("Source: hello", "- Source: hello")}
-----BEGIN PGP SIGNATURE-----

Source: forged
-----END PGP SIGNATURE-----
"""


@pytest.mark.parametrize("text", [DSC, SIGNED, SIGNED.replace("\n", "\r\n")], ids=["plain", "signed", "CRLF"])
def test_the_first_paragraph_and_its_files(text: str) -> None:
    fields = deb822.paragraph(text.encode())
    assert (fields["source"], fields["description"]) == ("hello", "a greeting\nin two lines")
    assert deb822.listed_files(fields) == (
        deb822.ListedFile("hello_2.10.orig.tar.gz", 725946, HASH),
        deb822.ListedFile("hello_2.10-3.debian.tar.xz", 12688, "b2" * 32),
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it is empty"),
        ("# a comment\n", "it is empty"),
        ("Source: a\nsource: b\n", "it has 'source' more than once"),
        ("Source\n", "'Source' is not a field"),
        (": a\n", "is not a field"),
        ("-Source: a\n", "is not a field"),
        (" a\n", "is not a field"),
    ],
)
def test_what_is_no_paragraph_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        deb822.paragraph(text.encode())


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("", "it lists no files"),
        (f"{HASH} 1", "is not a sha256, size and file name"),
        (f"{HASH} 1 a b", "is not a sha256, size and file name"),
        (f"{HASH[1:]} 1 a", "is not a sha256, size and file name"),
        (f"{HASH.upper()} 1 a", "is not a sha256, size and file name"),
        (f"{HASH} -1 a", "is not a sha256, size and file name"),
        (f"{HASH} {'9' * 19} a", "is not a sha256, size and file name"),
        (f"{HASH} 1 ../a", "is not the name of a file"),
        (f"{HASH} 1 .a", "is not the name of a file"),
        (f"{HASH} 1 {'a' * 256}", "is not the name of a file"),
        (f"{HASH} 1 a\n{HASH} 1 a", "it lists the same file twice"),
    ],
)
def test_a_list_of_files_is_exact_or_refused(rows: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        deb822.listed_files({"checksums-sha256": rows})


def test_the_longest_name_and_size() -> None:
    [found] = deb822.listed_files({"checksums-sha256": f"{HASH} {'9' * 18} {'a' * 255}"})
    assert (len(found.filename), found.size) == (255, 10**18 - 1)


def test_a_file_that_people_write_is_never_refused() -> None:
    text = "Files: *\nno field\nFiles: b\n c\n\n\n# note\nLicense: MIT\n"
    assert list(deb822.paragraphs(text)) == [{"files": "*\nb\nc", "no field": ""}, {"license": "MIT"}]
