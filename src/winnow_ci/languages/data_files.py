"""Files without code: data by their names, binary data by its content.

What nobody writes by hand (lock files, source maps), and what contains no code (JSON, CSV, SVG), has token streams that
are all alike: to compare them finds mere noise.

Binary content under the name of code is something else. A compiler may read past NUL bytes, so what looks binary there
could hide a copy, and is not scanned, which no scan calls clean. But a few endings belong, by the book, to a language
that hardly anybody writes, and in fact to data: ``.nc`` is nesC to Pygments, and NetCDF to everybody else.
"""

from __future__ import annotations

_DATA_ENDINGS = frozenset(
    """
    .csv .geojson .json .json5 .jsonl .jsonld .lock .lockb .lockfile .map .ndjson .sum .svg .tsv
    """.split()
)
_DATA_NAMES = frozenset({"pnpm-lock.yaml"})

_BINARY_ENDINGS = frozenset(
    """
    .7z .bz2 .gz .jar .rar .tar .tgz .whl .xz .zip .zst
    .bmp .gif .icns .ico .jpeg .jpg .png .psd .tif .tiff .webp
    .avi .flac .mkv .mov .mp3 .mp4 .ogg .wav .webm
    .eot .otf .ttf .woff .woff2
    .db .pdf .sqlite .xls .xlsx
    .a .bin .class .dll .dylib .exe .ko .npy .npz .o .parquet .pickle .pkl .pyc .pyd .so .wasm
    """.split()
)

_ARCHIVE_ENDINGS = frozenset(
    """
    .7z .aar .apk .bz2 .cab .conda .crate .deb .ear .egg .gem .gz .jar .nupkg .pyz .rar .rpm .tar .tbz .tbz2 .tgz .txz
    .vsix .war .whl .xpi .xz .zip .zst
    """.split()
)

# The language by the book, and what files of that ending are if they are binary.
_MOSTLY_DATA = frozenset(
    {
        ".aes",  # Sophia; encrypted files
        ".als",  # Alloy; Ableton Live
        ".arw",  # Arrow; photographs of Sony's cameras
        ".bc",  # bc; bitcode of LLVM
        ".cdf",  # Mathematica; the Common Data Format
        ".dot",  # Graphviz; templates of Word
        ".eps",  # PostScript; with a preview
        ".flo",  # FloScript; optical flow
        ".ma",  # Mathematica; Maya
        ".max",  # Maxima; 3ds Max
        ".mo",  # Modelica; translations
        ".mod",  # Modula-2; music
        ".nc",  # nesC; NetCDF
        ".p",  # OpenEdge, Pawn; pickled objects of Python
        ".pack",  # Visual Prolog; git
        ".prg",  # FoxPro; programs of old machines
        ".ps",  # PostScript; with images in it
        ".qvw",  # QlikView
        ".run",  # AMPL; installers
        ".sig",  # Standard ML; signatures
        ".tlb",  # Tl-b; type libraries of Windows
        ".usd",  # Universal Scene Description, which has a binary form of the same name
        ".x",  # Logos; DirectX
        ".xm",  # Logos; music
    }
    # Manual pages; shared libraries.
    | {f".{number}" for number in range(1, 10)}
)


def is_data(path: str) -> bool:
    """Whether a file's name says that it is a lock file or plain data."""
    name = path.rpartition("/")[2]
    return name in _DATA_NAMES or ending_of(name) in _DATA_ENDINGS


def is_binary_by_name(name: str) -> bool:
    """Whether a file's name says that its content is no text."""
    return ending_of(name) in _BINARY_ENDINGS


def is_archive(path: str) -> bool:
    """Whether a file's name says that it holds other files, or a packed one."""
    return ending_of(path.rpartition("/")[2]) in _ARCHIVE_ENDINGS


def is_mostly_data(path: str) -> bool:
    """Whether a file's name is, by the book, that of code, and binary content under it is that of data all the same."""
    return ending_of(path.rpartition("/")[2]) in _MOSTLY_DATA


def ending_of(name: str) -> str:
    """``.py`` of ``A.PY``; empty for ``.profile``, whose dot begins the name."""
    stem, dot, extension = name.rpartition(".")
    return (dot + extension).lower() if stem else ""
