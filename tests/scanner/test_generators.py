"""Files of a generator have its names; those of people have not."""

from __future__ import annotations

import pytest

from winnow_ci.scanner.attribute import generator_of


@pytest.mark.parametrize(
    ("path", "generator"),
    [
        ("internal/plans/planfile.pb.go", "protoc"),
        ("setup_grpc.pb.go", "protoc"),
        ("onnx/onnx_ml_pb2.py", "protoc"),
        ("src/model.pb.cc", "protoc"),
        ("app/migrations/0001_initial.py", "makemigrations of Django"),
        ("migrations/0012_name.py", "makemigrations of Django"),
        ("tests/test_migrations/0012_name.py", "makemigrations of Django"),
        ("api/zz_generated.deepcopy.go", "the code generator of Kubernetes"),
        ("zsyscall_windows.go", "mksyscall of Go"),
        ("src/parser.tab.c", "bison"),
        ("lex.yy.c", "flex"),
        ("python/binding_wrap.cxx", "SWIG"),
        ("src/pb.go", None),
        ("src/pb2.py", None),
        ("app/migrations/helpers.py", None),
        ("app/0001_initial.py", None),
        ("src/wrap.c", None),
        ("src/Model.PB.go", None),
        ("planfile.pb.go/main.go", None),
        ("app/migrations/0001_x.py/core.c", None),
    ],
)
def test_a_generator_is_known_by_the_name_of_its_file(path: str, generator: str | None) -> None:
    assert generator_of(path) == generator
