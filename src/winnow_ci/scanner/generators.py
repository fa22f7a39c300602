"""Which program writes files of some names.

Two outputs of one generator are alike, and neither was copied: ``a.pb.go`` and ``b.pb.go`` have a hundred lines in
common. Generators name their files in their own way, as people hardly ever do.
"""

from __future__ import annotations

# Shell patterns of paths with a slash before them.
_NAMES = {
    "protoc": (
        *(f"*.pb.{ending}" for ending in ("go", "gw.go", "validate.go", "cc", "h", "dart", "swift")),
        *(f"*_pb.{ending}" for ending in ("js", "ts", "d.ts", "rb")),
        *("*_pb2.py", "*_pb2.pyi", "*_pb2_grpc.py", "*.pbobjc.h", "*.pbobjc.m"),
    ),
    "makemigrations of Django": ("*migrations*/[0-9][0-9][0-9][0-9]_*.py",),
    "the code generator of Kubernetes": ("*/zz_generated.*.go",),
    "mksyscall of Go": ("*/zsyscall_*.go", "*/zsysnum_*.go", "*/zerrors_*.go", "*/ztypes_*.go"),
    "bison": ("*.tab.c", "*.tab.h", "*.tab.cc", "*.tab.hh"),
    "flex": ("*/lex.yy.c", "*/lex.yy.cc"),
    "SWIG": ("*_wrap.c", "*_wrap.cc", "*_wrap.cpp", "*_wrap.cxx"),
    "moc of Qt": ("*/moc_*.cpp",),
    "uic of Qt": ("*/ui_*.h",),
    "the designers of Visual Studio": ("*.Designer.cs",),
    "build_runner of Dart": ("*.g.dart", "*.freezed.dart"),
}


def generator_of(path: str) -> str | None:
    """The program that writes files of this name, if it is a known one."""
    path = f"/{path}"
    return next((name for name, patterns in _NAMES.items() if any(_fits(path, one) for one in patterns)), None)


def _fits(path: str, pattern: str) -> bool:
    # Python makes a regular expression of each pattern, which takes longer than to ask how the path ends.
    if not path.endswith(pattern.rpartition("*")[2]):
        return False
    from fnmatch import fnmatchcase  # noqa: PLC0415 - only asked of findings

    return fnmatchcase(path, pattern)
