"""Which unrelated projects are looked up in which, in three sets.

*first*: winnow-ci's thresholds were chosen with some of these projects in sight. *dev*: may be looked at as often as
one likes. *held-out*: opened once, when everything is decided; a decision that follows from one of its findings makes a
new set necessary. The learnt tables know none of the projects of the last two.
"""

from __future__ import annotations

from projects import CASTS, CPP, GO, HELD_OUT_CASTS, JS, PY, TS, C, Project

_HUB = "core/vendor/github.com/"

PEOPLE = {p.name: p for casts in (HELD_OUT_CASTS, CASTS) for cast in casts.values() for role in cast for p in role}
PEOPLE |= {
    "sympy": Project("sympy", "sympy", ("sympy",), PY),
    "mercurial": Project("mercurial", "mercurial", ("mercurial", "hgext", "tests"), PY, "thirdparty"),
    "three": Project("three", "three", ("src", "examples/jsm"), JS, "/libs/"),
    "effect": Project("effect", "effect", ("src",), TS),
    "pygame": Project("pygame", "pygame", ("src_c",), C),
    "glpk": Project("glpk", "igraph", ("vendor/source/igraph/vendor/glpk",), C),
    "libastro": Project("libastro", "ephem", ("libastro-3.7.7",), C),
    "aws-sdk": Project("aws-sdk", "wandb", (_HUB + "aws/aws-sdk-go-v2",), GO),
    "x-crypto": Project("x-crypto", "wandb", ("core/vendor/golang.org/x/crypto",), GO),
    "cog": Project("cog", "cog", ("pkg", "cmd", "tools"), GO),
    "scapy": Project("scapy", "scapy", ("scapy",), PY, "/libs/six|/libs/ethertypes|/libs/manuf"),
    "biopython": Project("biopython", "biopython", ("Bio", "Tests", "Scripts"), PY),
    "pyglet": Project("pyglet", "pyglet", ("pyglet", "tests", "examples"), PY, "/extlibs/"),
    "uamqp": Project("uamqp", "uamqp", ("src/vendor/azure-uamqp-c",), C),
    "librdkafka": Project("librdkafka", "node-rdkafka", ("deps/librdkafka",), C),
    "quickjs": Project("quickjs", "quickjs", ("third-party", ""), C),
    "erfa": Project("erfa", "pyerfa", ("liberfa/erfa", "erfa"), C),
    "dlib": Project("dlib", "dlib", ("dlib", "tools"), CPP + C, "/external/"),
    "onnx": Project("onnx", "onnx", ("onnx",), CPP + C),
    "tomotopy": Project("tomotopy", "tomotopy", ("src",), CPP + C, "/LBFGS/"),
    "sentencepiece": Project(
        "sentencepiece", "sentencepiece", ("sentencepiece/src",), CPP + C, "/third_party/|/builtin_pb/"
    ),
}
# Headers of C++ have the suffix of those of C, too.
PEOPLE |= {
    name: PEOPLE[name]._replace(suffixes=CPP + C)
    for casts in (CASTS, HELD_OUT_CASTS)
    for role in casts["cpp"]
    for name in (project.name for project in role)
}
# (language, in the index, scanned)
PAIRS = {
    "first": (
        ("python", "sqlalchemy", "sympy"),
        ("python", "django", "mercurial"),
        ("python", "networkx", "nltk"),
        ("javascript", "webpack", "phaser"),
        ("javascript", "eslint", "three"),
        ("javascript", "vega-lite", "viem"),
        ("javascript", "rxjs", "vega-lite"),
        ("c", "uwsgi", "igraph"),
        ("c", "samtools", "glpk"),
        ("c", "pillow", "libuv"),
        ("c", "igraph", "pygame"),
        ("java", "react-native", "jpype"),
        ("java", "react-native", "jep"),
        ("java", "mapbox", "jpype"),
        ("go", "grpc", "go-git"),
        ("go", "aws-sdk", "x-crypto"),
        ("go", "x-tools", "cog"),
        ("go", "gopsutil", "wandb"),
        ("cpp", "dlib", "highs"),
        ("cpp", "z3", "cantera"),
        ("cpp", "lightgbm", "coolprop"),
    ),
    "dev": (
        ("python", "scapy", "biopython"),
        ("python", "prefect", "pyglet"),
        ("c", "uamqp", "librdkafka"),
        ("c", "pocketsphinx", "quickjs"),
        ("javascript", "plotly", "ghost"),
        ("java", "poi", "undertow"),
        ("go", "pebble", "bleve"),
        ("cpp", "tomotopy", "sentencepiece"),
    ),
    "held-out": (
        ("python", "impacket", "gensim"),
        ("python", "salt", "reportlab"),
        ("c", "numpy", "swisseph"),
        ("c", "yara", "erfa"),
        ("javascript", "cesium", "shaka"),
        ("java", "pdfbox", "hibernate"),
        ("go", "gonum", "opa"),
        ("cpp", "gemmi", "duckdb"),
        ("cpp", "libsass", "ale"),
        ("cpp", "xgboost", "onnx"),
    ),
}
