"""The projects that plants set aside are made of: nothing of them may be in another set, or in the learnt tables."""

from __future__ import annotations

from noise_pairs import KOTLIN, PHP, RUBY, RUST
from projects import CPP, GO, JAVA, JS, PY, TS, C, Cast, Project

_TESTS = "/tests?\\.rs$|/tests/"

ASIDE_CASTS = {
    "python": Cast(
        donors=(Project("fonttools", "fonttools", ("Lib",), PY),),
        known=(Project("nibabel", "nibabel", ("nibabel",), PY, "/externals/|_version|versioneer"),),
        hosts=(Project("obspy", "obspy", ("obspy",), PY, "/lib/"),),
        strangers=(Project("pwntools", "pwntools", ("pwnlib",), PY, "/constants/|/data/"),),
    ),
    "javascript": Cast(
        donors=(Project("diagram-js", "diagram-js", ("lib",), JS),),
        known=(Project("sails", "sails", ("lib", "bin"), JS),),
        hosts=(Project("playcanvas", "playcanvas", ("build/playcanvas/src",), JS),),
        strangers=(Project("pm2", "pm2", ("lib", "modules"), JS, "/node_modules/"),),
    ),
    "typescript": Cast(
        donors=(Project("mathjax", "mathjax-full", ("ts",), TS, "/mathmaps/|/fonts/"),),
        known=(Project("pdf-lib", "pdf-lib", ("src",), TS),),
        hosts=(Project("rx-player", "rx-player", ("src",), TS, "/__tests__/|__GENERATED"),),
        strangers=(Project("adaptive-expressions", "adaptive-expressions", ("src",), TS, "/generated/"),),
    ),
    "c": Cast(
        donors=(Project("nginx", "nginx", ("src",), C),),
        known=(Project("curl", "curl", ("lib", "src"), C),),
        hosts=(Project("weechat", "weechat", ("src",), C),),
        strangers=(Project("hexchat", "hexchat", ("src", "plugins"), C),),
    ),
    "java": Cast(
        donors=(Project("jfreechart", "org.jfree:jfreechart", ("org",), JAVA),),
        known=(Project("jena", "org.apache.jena:jena-core", ("org",), JAVA),),
        hosts=(Project("graphhopper", "com.graphhopper:graphhopper-core", ("com",), JAVA),),
        strangers=(Project("activemq", "org.apache.activemq:activemq-broker", ("org",), JAVA),),
    ),
    "go": Cast(
        donors=(Project("delve", "github.com/go-delve/delve", (".",), GO, "/_fixtures/|/vendor/"),),
        known=(Project("coredns", "github.com/coredns/coredns", (".",), GO),),
        hosts=(Project("restic", "github.com/restic/restic", (".",), GO),),
        strangers=(Project("quic-go", "github.com/quic-go/quic-go", (".",), GO),),
    ),
    "cpp": Cast(
        donors=(Project("quantlib", "quantlib", ("ql",), CPP),),
        known=(Project("fityk", "fityk", ("fityk", "wxgui", "cli"), CPP, "/swig/|/lua/|pcg"),),
        hosts=(Project("mapnik", "mapnik", ("src", "plugins"), (".cpp",)),),
        strangers=(Project("openscad", "openscad", ("src",), CPP, "/ext/"),),
    ),
    "rust": Cast(
        donors=(Project("sequoia", "sequoia-openpgp", ("src",), RUST, _TESTS),),
        known=(Project("rav1e", "rav1e", ("src",), RUST, _TESTS),),
        hosts=(Project("ide-assists", "ra_ap_ide_assists", ("src",), RUST, _TESTS),),
        strangers=(Project("hickory", "hickory-proto", ("src",), RUST, _TESTS),),
    ),
    "php": Cast(
        donors=(Project("doctrine", "doctrine", ("lib",), PHP),),
        known=(Project("icingaweb2", "icingaweb2", ("usr/share/icingaweb2/application",), PHP),),
        hosts=(
            Project(
                "simplesamlphp",
                "simplesamlphp",
                ("usr/share/simplesamlphp/lib/SimpleSAML", "usr/share/simplesamlphp/vendor/simplesamlphp"),
                PHP,
            ),
        ),
        strangers=(Project("rss-bridge", "rss-bridge", ("bridges", "lib", "formats", "actions"), PHP),),
    ),
    "ruby": Cast(
        donors=(Project("sequel", "ruby-sequel", ("usr/lib",), RUBY),),
        known=(Project("yard", "yard", ("usr/share",), RUBY, "/parser/ruby/legacy/"),),
        hosts=(Project("puppet", "puppet-agent", ("usr/lib",), RUBY, "/pops/parser/egrammar"),),
        strangers=(Project("vagrant", "vagrant", ("usr/share",), RUBY),),
    ),
    "kotlin": Cast(
        donors=(Project("dataframe", "org.jetbrains.kotlinx:dataframe-core", ("org",), KOTLIN),),
        known=(Project("assertk", "com.willowtreeapps.assertk:assertk-jvm", (".",), KOTLIN),),
        hosts=(
            Project("coil", "io.coil-kt.coil3:coil-core-jvm", (".",), KOTLIN),
            Project("koin", "io.insert-koin:koin-core-jvm", (".",), KOTLIN),
            Project("multik", "org.jetbrains.kotlinx:multik-core-jvm", (".",), KOTLIN),
        ),
        strangers=(Project("ksp", "com.google.devtools.ksp:symbol-processing", ("com",), KOTLIN),),
    ),
}
