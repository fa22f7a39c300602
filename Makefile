# Everything that a developer needs is a target here. Each target makes what it needs first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

CARGO := $(shell command -v cargo 2>/dev/null)
# The inner loops, native, where they can be built.
NATIVE := $(if $(CARGO),$(VENV)/.kernel)

KERNEL := $(shell find kernel -path kernel/target -prune -o -name '*.rs' -print -o -name '*.toml' -print)

NPM := $(shell command -v npm 2>/dev/null)
# The inspector of the Model Context Protocol, a client that tests ask with.
INSPECTOR := $(if $(NPM),$(VENV)/.inspector)

# Where the command is tried as on Windows: wine, CPython for Windows from a module of Go, and a git.exe that forwards.
WINDOWS := $(VENV)/windows
WINDOWS_SITE := $(WINDOWS)/python/Lib/site-packages
ON_WINDOWS := $(BIN)/python tests/windows/run.py $(WINDOWS)
WINDOWS_TARGET := x86_64-pc-windows-gnu
WINDOWS_PYTHON := github.com/kluctl/go-embed-python@v0.0.0-3.11.11-20241219-1
WINDOWS_PYTHON_SUM := h1:yVXFTxa6cvhLC6TwkDEHmNaiWlDyaFEGiXd1DQdoeOU=
# The newest NumPy that runs in wine 8: later ones need functions that it lacks.
WINDOWS_NUMPY := numpy==2.0.2
WINDOWS_LACKS = $(strip $(foreach program,wine go cargo x86_64-w64-mingw32-gcc,$(if $(shell command -v $(program)),,$(program))) \
	$(shell ls -d "$$(rustc --print target-libdir --target $(WINDOWS_TARGET))" >/dev/null 2>&1 || echo "Rust's $(WINDOWS_TARGET)"))

DIST ?= dist
BUILD := $(VENV)/release/bin/python -m build --no-isolation --outdir $(DIST)
# `--extra kernel` as soon as the kernel is published: then the action, the hooks and the image have it.
WITH_KERNEL :=
PINS := $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.10 --only-binary :all: \
	--no-emit-index-url --no-header --no-annotate $(WITH_KERNEL) pyproject.toml
LOCK := $(PINS) --generate-hashes
MANIFEST ?= .winnow/sources.yml
# The extras that the action can install.
LOCKED := cyclonedx postgresql spdx

# Folders of programs beside the package, each with modules of its own. Those in inside/ run where other tools are.
PROGRAMS = $(sort $(filter-out %/inside,$(patsubst %/,%,$(dir $(shell git ls-files benchmarks demo experiments tools | grep '\.py$$')))))

.DEFAULT_GOAL := help
.PHONY: help demo test check kernel unit windows figures format docs index indexes copies dist recipes release lock clean

help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.installed ## See it work: index installed packages, paste from them, scan
	@$(BIN)/python demo/demo.py

test: check kernel unit windows ## Everything that CI runs

check: $(VENV)/.developing ## Formatting, lint, types, layers
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --follow-imports silent src/winnow_ci/system/windows*.py
	$(BIN)/lint-imports --no-logo
	@for folder in $(PROGRAMS); do echo "mypy $$folder"; MYPYPATH="src:tests:benchmarks:demo:$$folder" \
		$(BIN)/mypy --config-file tools/mypy.ini $$folder/*.py || exit 1; done

kernel: $(VENV)/.developing ## The kernel (kernel/), where there is cargo: lint, tests, installation
ifdef CARGO
	cd kernel && $(CARGO) fmt --all --check && $(CARGO) clippy --quiet --workspace --all-targets -- --deny warnings && \
		$(CARGO) test --quiet --workspace
	$(BIN)/python tools/notices --check
	@$(MAKE) --no-print-directory $(VENV)/.kernel
else
	@test -z "$(REQUIRE_KERNEL)" || { echo "the kernel needs cargo; on Debian: apt install cargo" >&2; exit 1; }
	@echo "kernel: neither built nor tested, since there is no cargo; all else works without it"
endif

unit: $(VENV)/.developing $(INSPECTOR) ## The tests
	$(BIN)/pytest --numprocesses auto --quiet -rs

windows: $(VENV)/.developing ## The tests of the command as on Windows, where there are wine, MinGW, Go and Rust's target
	@lacks="$(WINDOWS_LACKS)"; test -z "$$lacks" || { echo "windows: not tested, since there is no $$lacks" >&2; \
		test -z "$(REQUIRE_WINE)"; exit; }; \
		$(MAKE) --no-print-directory $(WINDOWS)/.made && \
		$(ON_WINDOWS) -m pytest --numprocesses 4 --quiet -rs && $(BIN)/pytest --quiet -rs tests/windows

# First whether the tables fit: with others, the rest would say nothing of this version.
figures: $(VENV)/.developing $(NATIVE) ## What docs/figures.md says is found, measured again (2 hours, downloads 6 GB into .figures/)
	$(BIN)/python tools/tables --check --work .figures/tables
	$(BIN)/python tools/evidence --check --work .figures/quality
	$(BIN)/python tools/evidence --measure --work .figures/quality
	$(BIN)/python benchmarks/quality --work .figures/quality --set aside --detectors ours,ours-strong
	$(BIN)/python benchmarks/quality/guarantee.py --work .figures/quality
	$(BIN)/python benchmarks/quality/launderings.py --work .figures/quality
	$(BIN)/python benchmarks/vendored.py

format: $(VENV)/.developing ## Format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(VENV)/.documenting ## The documentation as a site, in site/
	$(BIN)/python tools/site site

index: $(VENV)/.installed ## The index that winnow-ci looks itself up in, from its lock (asks the registries of packages)
	$(BIN)/winnow-ci index sync --frozen --manifest $(MANIFEST)

indexes: $(VENV)/.installed $(NATIVE) ## The ready-made indexes, from the manifests and locks in indexes/; each under 100 MB
	@for manifest in indexes/*.yml; do $(BIN)/winnow-ci index sync --frozen --manifest $$manifest || exit 1; done
	@large=$$(find indexes -name '*.db' -size +100000000c); test -z "$$large" || { echo "over 100 MB: $$large" >&2; exit 1; }

copies: index $(NATIVE) ## Look all of winnow-ci up in that index
	$(BIN)/winnow-ci scan --all

# The same bytes each time: files have the date of the commit, and no path is kept, but for that of the kernel's folder,
# which the bill of materials in its wheel names.
dist: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
dist: export RUSTFLAGS ?= --remap-path-prefix=$(or $(CARGO_HOME),$(HOME)/.cargo)=cargo
dist: export PATH := $(CURDIR)/$(VENV)/release/bin:$(PATH)
dist: export CARGO_TARGET_DIR ?= $(CURDIR)/kernel/target/dist
dist: $(VENV)/.release ## sdist and wheels of winnow-ci and, where there is cargo, of the kernel, into dist/
	rm -rf $(DIST) build/release
	$(BIN)/python tools/release --stage build/release
	$(BUILD) build/release
ifdef CARGO
	$(BUILD) --sdist --wheel kernel
	$(BIN)/python tools/release --plain-wheel $(DIST)/winnow_ci_kernel-*.tar.gz
endif
	$(VENV)/release/bin/twine check --strict $(DIST)/*

recipes: $(VENV)/.release ## Recipes for Homebrew and conda-forge, of what make dist has built, into recipes/
	$(VENV)/release/bin/python tools/release --recipes recipes

release: $(VENV)/.developing ## Do a dry run of the release on this machine; show what is left for you
	$(BIN)/pytest --numprocesses auto --quiet -rs tests/release
	$(BIN)/python tools/release --check

lock: $(VENV)/.developing ## Lock the dependencies of the action, the hooks and the release anew, into requirements/
	$(LOCK) --output-file requirements/winnow-ci.txt
	$(foreach extra,$(LOCKED),$(LOCK) --extra $(extra) --constraints requirements/winnow-ci.txt --output-file requirements/$(extra).txt &&) :
	$(PINS) --constraints requirements/winnow-ci.txt --output-file requirements/hooks.txt
	$(LOCK) --group release --output-file requirements/release-tools.txt

clean: ## Remove what the other targets have made
	rm -rf $(VENV) .demo .figures build dist recipes site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache kernel/target kernel/Cargo.lock

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
		{ echo "winnow-ci needs Python 3.10 or newer; name one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
		{ rm -rf $(VENV); echo "cannot make a virtual environment; on Debian: apt install python3-venv" >&2; exit 1; }

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

# Dependency groups need pip 25.1, newer than what many systems bring.
$(VENV)/.developing: pyproject.toml $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev
	@touch $@

$(VENV)/.inspector: | $(VENV)/.installed
	$(NPM) install --silent --no-save --prefix $(VENV)/inspector @modelcontextprotocol/inspector@2.12.0
	@touch $@

$(VENV)/.documenting: pyproject.toml $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group docs
	@touch $@

$(VENV)/.kernel: $(KERNEL) | $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check ./kernel
	@touch $@

# Compiled once, and the standard library in one file: it is slow to look for files under wine.
$(WINDOWS)/.made: $(WINDOWS)/.site $(WINDOWS)/.kernel $(WINDOWS)/.prefix $(WINDOWS)/bin/git.exe
	$(ON_WINDOWS) -m compileall -q -x '[\\/]tests?[\\/]' --invalidation-mode unchecked-hash $(WINDOWS_SITE)
	$(ON_WINDOWS) -m compileall -q -x 'site-packages|lib2to3' --invalidation-mode unchecked-hash -b $(WINDOWS)/python/Lib
	cd $(WINDOWS)/python/Lib && $(CURDIR)/$(BIN)/python -m zipfile -c ../python311.zip $$(ls | grep -v site-packages)
	@touch $@

$(WINDOWS)/.python: | $(BIN)/python
	@mkdir -p $(WINDOWS) && rm -rf $(WINDOWS)/python
	go mod download -json $(WINDOWS_PYTHON) > $(WINDOWS)/python.json
	@grep -qF '"Sum": "$(WINDOWS_PYTHON_SUM)"' $(WINDOWS)/python.json || { echo "$(WINDOWS_PYTHON) is another one" >&2; exit 1; }
	cp -r "$$(sed -n 's/.*"Dir": "\(.*\)".*/\1/p' $(WINDOWS)/python.json)/python/internal/data/windows-amd64" $(WINDOWS)/python
	chmod -R u+w $(WINDOWS)/python
	gunzip -qr $(WINDOWS)/python
	@touch $@

# Without what distributions run at each start of Python.
$(WINDOWS)/.site: pyproject.toml requirements/winnow-ci.txt $(WINDOWS)/.python | $(VENV)/.developing
	rm -rf $(WINDOWS_SITE)
	echo "$(WINDOWS_NUMPY)" > $(WINDOWS)/numpy.txt
	sed 's/ *\\$$//; /--hash/d; /^numpy/d' requirements/winnow-ci.txt > $(WINDOWS)/requirements.txt
	$(BIN)/uv pip install --quiet --target $(WINDOWS_SITE) --python-version 3.11 --python-platform x86_64-pc-windows-msvc \
		--only-binary :all: --override $(WINDOWS)/numpy.txt --requirement $(WINDOWS)/requirements.txt --group testing numpy pip
	rm -f $(WINDOWS_SITE)/*.pth
	@touch $@

$(WINDOWS)/.kernel: $(KERNEL) $(WINDOWS)/.site
	cd kernel && cargo build --quiet --release --target $(WINDOWS_TARGET) --target-dir $(CURDIR)/$(WINDOWS)/kernel
	cp $(WINDOWS)/kernel/$(WINDOWS_TARGET)/release/winnow_ci_kernel.dll $(WINDOWS_SITE)/winnow_ci_kernel.pyd
	@touch $@

# As Windows 10, and with a library that wine 8 lacks.
$(WINDOWS)/.prefix: tests/windows/bcryptprimitives.c
	@mkdir -p $(WINDOWS) && rm -rf $(WINDOWS)/prefix
	$(PYTHON) tests/windows/run.py $(WINDOWS) --prepare
	x86_64-w64-mingw32-gcc -shared -O2 -o $(WINDOWS)/prefix/drive_c/windows/system32/bcryptprimitives.dll $< -ladvapi32
	@touch $@

$(WINDOWS)/bin/git.exe: tests/windows/git.rs
	@mkdir -p $(@D)
	rustc --edition 2021 --target $(WINDOWS_TARGET) -O -o $@ $<

# With the tools as they are locked, wherever that is.
$(VENV)/.release: requirements/release-tools.txt | $(BIN)/python
	$(PYTHON) -m venv --clear $(VENV)/release
	$(VENV)/release/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
		--requirement requirements/release-tools.txt
	@touch $@
