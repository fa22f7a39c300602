"""Endings, whole names, interpreters and aliases → a language, by the name that Pygments has for it.

The tables have the languages of the table-driven tokenizer, and endings that several languages claim. All others that
Pygments knows need no row. An ending that content decides has its commonest language here.
"""

from __future__ import annotations


def _table(text: str) -> dict[str, str]:
    """``language: key key ...`` lines → key → language."""
    rows = (line.split(":", 1) for line in text.strip().splitlines())
    return {key: language.strip() for language, keys in rows for key in keys.split()}


EXTENSIONS = _table("""
    c: c h l y cats idc upc ispc opencl nss yacc bison lex flex
    cpp: cc cp cpp cppm cxx c++ C hh hpp hxx h++ H inl ipp ixx metal tcc tpp txx yy
    arduino: ino
    cuda: cu cuh hip
    objective-c: m
    objective-c++: mm
    python: py pyi pyw py2 py3 gyp gypi gn gni ipy rpy star wsgi xsh lmi pyde pyp pyt xpy smk snakefile sage sagews bzl
    cython: pyx pxd pxi
    javascript: js mjs cjs es jsb jsm pac sjs _js bones cy es6 jake javascript jscad jsfl jslib jspre jss
    javascript: njs qs ssjs xsjs xsjslib
    jsx: jsx
    typescript: ts mts cts
    tsx: tsx
    java: java apex cls trigger jav jsh pde ck jflex
    go: go
    markdown: md markdown mdx qmd rmd livemd mdown mdwn mkd mkdn mkdown ronn workbook
    restructuredtext: rst
    text: txt asc adoc asciidoc mediawiki wiki wikitext textile pod6 rdoc
    bash: sh bash ksh zsh bats command pacscript sbatch slurm tmux tool zsh-theme envrc ebuild eclass
    brainfuck: bf
    common-lisp: cl lisp asd ny podsl sexp
    coq: coq
    csharp: cs csx cake linq uno
    css: css pcss postcss mss
    scss: scss
    less: less
    d: d
    dart: dart
    delphi: dfm lpr pascal
    elixir: ex exs
    fsharp: fs fsi fsx
    gas: s S
    gdscript: gd
    gherkin: feature story
    erlang: erl hrl app xrl yrl
    fortran: f90 f95 f03 f08 fpp
    fortranfixed: f for f77 ftn
    forth: fth 4th forth fr
    haskell: hs chs hs-boot hsc
    groovy: groovy gradle gvy gy gsh grt gtpl nf
    html: html htm xhtml blade ejs ect heex jst erb eex hbs handlebars mustache njk gohtml hta xht jinja j2 jinja2
    html: ascx aspx astro cshtml ftl ftlh jsp jspf liquid marko mjml razor riot tpl twig vtl antlers edge gsp latte tag
    notebook: ipynb
    ini: cfg inf ini cnf prefs
    julia: jl
    kotlin: kt kts ktm
    lean4: lean
    lua: lua nse p8 pd_lua rbxs rockspec
    make: make makefile mkfile
    matlab: matlab
    nasm: asm a51 nas
    ocaml: ml mli eliom eliomi ml4
    perl: pl pm t psgi al plx
    perl6: p6 pm6 raku rakumod rakutest rakudoc nqp 6pl 6pm pl6 p6l p6m t6 rakucfg
    php: php php3 php4 php5 php7 php8 phtml aw ctp hack hhi php_cs phps phpt
    powershell: ps1 psm1 psd1
    prolog: pro yap
    properties: properties
    protobuf: proto
    ragel-c: rl
    ruby: rb rake gemspec ru rbw builder eye god jbuilder mspec opal pluginspec podspec prawn rabl rbi rbuild rbx ruby
    ruby: thor watchr
    rust: rs
    scala: scala sc sbt kojo
    r: r R rsx rhistory
    rd: rd
    scheme: sld sps
    solidity: sol
    sql: sql ddl hql pgsql psql mysql bdy cql db2 fnc pck pkb pks plb pls plsql prc q spc tpb tps trg tsql udf viw vw
    supercollider: scd
    tcl: exp itcl tcl tk adp sdc tm xdc
    glsl: comp frag geom glsl vert fp frg fsh fshader gdshader glslf glslv gshader rchit rmiss shader tesc tese vrx vsh
    glsl: vshader
    hlsl: cginc fxh
    swift: swift
    swig: i swg swig
    systemverilog: sv svh bsv
    terraform: tf tfvars hcl nomad tofu tftpl
    toml: toml
    tex: sty tex bbx cbx dtx ins lbx ltx mkii mkiv mkvi
    turtle: ttl
    vb.net: bas vba
    verilog: v vh veo
    vhdl: vhd vhdl vhf vhi vho vhs vht vhw
    vim: vimrc vmb
    vue: vue svelte
    xml: xml ant axaml axml builds csproj fsproj fxml jelly nproj nuspec pkgproj proj props rdf shproj targets vbproj
    xml: vcxproj wixproj wxi wxl wxs xacro xaml xproj zcml
    xslt: xsl xslt
    yaml: yaml yml reek sublime-syntax
    zig: zig zon
    antlr: g4
    ampl: ampl
    awk: auk gawk mawk nawk
    clojure: boot cl2 cljscm cljx hic
    cobol: ccp cobol
    coffeescript: _coffee cjsx cson iced
    docker: containerfile dockerfile
    emacs-lisp: emacs
    gnuplot: gnu gnuplot gp
    graphql: gql graphqls
    lean: hlean
    nginx: nginx nginxconf
    nimrod: nimble nims
    racket: scrbl
    rexx: pprx
    stata: doh ihlp mata matah sthlp
    teal: tl
    ucode: uc
    mathematica: mathematica wlt
    yara: yara
""")

FILE_NAMES = _table("""
    bash: .bash_aliases .bash_functions .bash_history .bash_logout .bash_profile .bashrc .envrc .flaskenv .kshrc .login
    bash: .profile .tmux.conf .xinitrc .xprofile .xsession .xsessionrc .zlogin .zlogout .zprofile .zshenv .zshrc 9fs
    bash: APKBUILD PKGBUILD bash_aliases bash_logout bash_profile bashrc gradlew kshrc login man mvnw profile tmux.conf
    bash: xinitrc xsession zlogin zlogout zprofile zshenv zshrc
    tcsh: .cshrc .tcshrc cshrc
    clojure: riemann.config
    cmake: CMakeLists.txt
    coffeescript: Cakefile
    docker: Containerfile
    elixir: mix.exs
    emacs-lisp: .abbrev_defs .emacs .gnus .spacemacs .viper Cask Eask Project.ede _emacs abbrev_defs
    erlang: Emakefile rebar.config rebar.config.lock
    groovy: Jenkinsfile nextflow.config
    ini: .buckconfig .coveragerc .flake8 .gitconfig .gitmodules .gitreview .pylintrc pylintrc
    javascript: Jakefile
    lua: .luacheckrc
    make: BSDmakefile GNUmakefile Kbuild Makefile makefile mkfile
    meson: meson_options.txt
    perl: .latexmkrc Makefile.PL Rexfile ack cpanfile latexmkrc
    php: .php_cs .php_cs.dist Phakefile
    powershell: profile.ps1
    puppet: Modulefile
    python: .gclient .gn BUILD BUCK DEPS MODULE.bazel SConscript SConstruct Snakefile Tiltfile WORKSPACE WORKSPACE.bazel
    python: WORKSPACE.bzlmod wscript
    r: .Rapp.history .Rprofile expr-dist
    ruby: .irbrc .pryrc .simplecov Appraisals Berksfile Brewfile Buildfile Capfile Dangerfile Deliverfile Fastfile
    ruby: Gemfile Guardfile Jarfile Mavenfile Podfile Puppetfile Rakefile Snapfile Steepfile Thorfile Vagrantfile
    ruby: buildfile
    tcl: owh starfield
    text: FONTLOG INSTALL NEWS README click.me contents.lr delete.me keep.me read.me readme.1st test.me
    vim: .nvimrc .vimrc _vimrc nvimrc vimrc
    xml: .classpath .cproject .project App.config NuGet.config Web.config packages.config
    yaml: .clang-format .clang-tidy .clangd .gemrc CITATION.cff
""")

INTERPRETERS = _table("""
    bash: sh bash dash ash ksh zsh bats mksh openrc-run pdksh rc rbash
    fish: fish
    tcsh: csh tcsh
    c: tcc
    javascript: node nodejs bun chakra d8 gjs js qjs rhino v8 v8-shell
    typescript: deno ts-node tsx
    coffeescript: coffee
    python: python pypy py sage snakemake uv xonsh
    hylang: hy
    perl: perl cperl
    perl6: perl6 raku rakudo
    ruby: ruby jruby macruby rake rbx
    cr: crystal
    php: php hhvm
    lua: lua luajit
    luau: luau
    moonscript: moon
    fennel: fennel
    awk: awk gawk mawk nawk
    sed: sed gsed minised ssed
    tcl: tclsh wish expect
    r: Rscript
    groovy: groovy nextflow
    scala: scala
    kotlin: kotlin
    dart: dart
    swift: swift
    rust: rust-script
    make: make
    powershell: pwsh powershell
    elixir: elixir
    erlang: escript
    julia: julia
    clojure: bb clojure
    common-lisp: sbcl clisp ccl ecl lisp
    newlisp: newlisp
    scheme: scheme guile bigloo chicken csi gosh r6rs
    racket: racket
    haskell: runghc runhaskell runhugs
    ocaml: ocaml ocamlrun ocamlscript
    prolog: swipl yap
    applescript: osascript
    asymptote: asy
    delphi: instantfpc
    gnuplot: gnuplot
    io: io
    janet: janet
    nimrod: nim
    pike: pike
    rexx: regina rexx
    supercollider: sclang
    ucode: ucode
    mathematica: wolfram wolframscript
""")

ALIASES = _table("""
    bash: envrc gentoo-ebuild gentoo-eclass shell-script
    c: bison flex ispc lex opencl unified-parallel-c yacc
    cpp: metal
    csharp: cake uno
    css: cartocss postcss
    cuda: hip
    groovy: gradle nextflow
    html: astro edge eex ejs freemarker groovy-server-pages gsp handlebars hbs heex jsp latte liquid marko mustache
    html: nunjucks razor riot twig xhtml
    java: apex jflex processing
    javascript: cycript node
    kotlin: gradle-kotlin-dsl
    markdown: mdx pandoc rmarkdown
    notebook: ipython-notebook jupyter-notebook
    perl6: perl-6
    php: blade hack
    protobuf: protocol-buffer protocol-buffers
    python: bzl gn ren'py renpy snakemake xonsh
    ruby: jruby opal rake
    sql: hiveql plsql sqlpl
    systemverilog: bluespec
    terraform: opentofu
    text: asciidoc plain-text
    tsx: typescriptreact
    vb.net: vba visual-basic visual-basic-.net
    vue: svelte
""")
"""Names of languages that Pygments lacks, or reads otherwise; a hyphen for a space."""
