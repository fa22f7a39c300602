"""Which unrelated projects are looked up in which, in five sets.

*first*: winnow-ci's thresholds were chosen with some of these projects in sight. *dev*: may be looked at as often as
one likes. *held-out*, *last* and *newest*: opened once, when everything is decided; a decision that follows from one of
their findings makes a new set necessary, as *newest* did after *last*. The learnt tables know none of the projects of
the last four.
"""

from __future__ import annotations

from projects import CASTS, CPP, GO, HELD_OUT_CASTS, JAVA, JS, PY, TS, C, Project

RUST = (".rs",)
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
    "keras": Project("keras", "keras", ("keras",), PY),
    "wagtail": Project("wagtail", "wagtail", ("wagtail",), PY),
    "puppeteer": Project("puppeteer", "puppeteer-core", ("src",), TS),
    "zrender": Project("zrender", "zrender", ("src",), TS),
    "helm": Project("helm", "helm.sh/helm/v3", (".",), GO),
    "badger": Project("badger", "github.com/dgraph-io/badger/v4", (".",), GO),
    "tokio": Project("tokio", "tokio", ("src", "tests"), RUST),
    "diesel": Project("diesel", "diesel", ("src",), RUST),
    "redis": Project("redis", "redis", ("src",), C),
    "gnuplot": Project("gnuplot", "gnuplot", ("src", "term"), (*C, ".trm")),
    "qiskit": Project("qiskit", "qiskit", ("qiskit",), PY),
    "spyder": Project("spyder", "spyder", ("spyder",), PY),
    "streamlit": Project("streamlit", "streamlit", ("streamlit",), PY, "/vendor/"),
    "pymc": Project("pymc", "pymc", ("pymc", "tests"), PY),
    "stylelint": Project("stylelint", "stylelint", ("lib",), JS),
    "sap-ui": Project("sap-ui", "@openui5/sap.ui.core", ("src",), JS, "/thirdparty/"),
    "tldraw": Project("tldraw", "@tldraw/editor", ("src",), TS),
    "x6": Project("x6", "@antv/x6", ("src",), TS),
    "deck.gl": Project("deck.gl", "@deck.gl/core", ("src",), TS),
    "xterm": Project("xterm", "@xterm/xterm", ("src",), TS),
    "terraform": Project("terraform", "github.com/hashicorp/terraform", (".",), GO),
    "telegraf": Project("telegraf", "github.com/influxdata/telegraf", (".",), GO),
    "minio": Project("minio", "github.com/minio/minio", (".",), GO),
    "gitea": Project("gitea", "code.gitea.io/gitea", (".",), GO),
    "saxon": Project("saxon", "net.sf.saxon:Saxon-HE", (".",), JAVA),
    "cassandra": Project("cassandra", "org.apache.cassandra:cassandra-all", (".",), JAVA),
    "kivy": Project("kivy", "kivy", ("kivy", "examples"), PY),
    "superset": Project("superset", "apache-superset", ("superset", "tests"), PY),
    "calcite": Project("calcite", "org.apache.calcite:calcite-core", (".",), JAVA),
    "kafka": Project("kafka", "org.apache.kafka:kafka-clients", (".",), JAVA),
    "jgit": Project("jgit", "org.eclipse.jgit:org.eclipse.jgit", (".",), JAVA),
    "tcl": Project("tcl", "tcl8.6", ("generic", "unix", "win"), C),
    "systemd": Project("systemd", "systemd", ("src",), C),
    "rocksdb": Project("rocksdb", "rocksdb", (".",), CPP + C, "/third-party/"),
    "cmake": Project("cmake", "cmake", ("Source", "Tests"), CPP + C, "/kwsys/|/LexerParser/"),
    "wasmtime": Project("wasmtime", "wasmtime", ("src",), RUST),
    "egui": Project("egui", "egui", ("src",), RUST),
    "image": Project("image", "image", ("src", "tests", "benches"), RUST),
    "nalgebra": Project("nalgebra", "nalgebra", ("src", "tests"), RUST),
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
        ("python", "keras", "wagtail"),
        ("javascript", "puppeteer", "zrender"),
        ("go", "helm", "badger"),
        ("rust", "tokio", "diesel"),
        ("c", "redis", "gnuplot"),
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
    "last": (
        ("python", "qiskit", "spyder"),
        ("python", "streamlit", "pymc"),
        ("javascript", "stylelint", "sap-ui"),
        ("javascript", "tldraw", "x6"),
        ("javascript", "deck.gl", "xterm"),
        ("go", "terraform", "telegraf"),
        ("java", "kafka", "calcite"),
        ("java", "calcite", "jgit"),
        ("c", "tcl", "systemd"),
        ("cpp", "rocksdb", "cmake"),
        ("rust", "wasmtime", "egui"),
        ("rust", "image", "nalgebra"),
    ),
    "newest": (
        ("go", "minio", "gitea"),
        ("java", "saxon", "cassandra"),
        ("python", "kivy", "superset"),
    ),
}
LANGUAGES = tuple(dict.fromkeys(language for pairs in PAIRS.values() for language, *_ in pairs))
