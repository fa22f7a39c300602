# Everything that a developer needs is a target here. Each target makes what it needs first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

CARGO := $(shell command -v cargo 2>/dev/null)
# The inner loops, native, where they can be built.
NATIVE := $(if $(CARGO),$(VENV)/.kernel)

NPM := $(shell command -v npm 2>/dev/null)
# The inspector of the Model Context Protocol, a client that tests ask with.
INSPECTOR := $(if $(NPM),$(VENV)/.inspector)

DIST ?= dist
BUILD := $(VENV)/release/bin/python -m build --no-isolation --outdir $(DIST)
PINS := $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.10 --only-binary :all: \
	--no-emit-index-url --no-header --no-annotate pyproject.toml
LOCK := $(PINS) --generate-hashes
MANIFEST ?= .winnow/sources.yml
# The extras that the action can install.
LOCKED := cyclonedx postgresql spdx

# Folders of programs beside the package, each with modules of its own. Those in inside/ run where other tools are.
PROGRAMS = $(sort $(filter-out %/inside,$(patsubst %/,%,$(dir $(shell git ls-files benchmarks demo experiments tools | grep '\.py$$')))))

.DEFAULT_GOAL := help
.PHONY: help demo test check kernel unit figures format docs index indexes copies dist lock clean

help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.installed ## See it work: index installed packages, paste from them, scan
	@$(BIN)/python demo/demo.py

test: check kernel unit ## Everything that CI runs

check: $(VENV)/.developing ## Formatting, lint, types, layers
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --follow-imports silent src/winnow_ci/system/windows.py
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
	rm -rf $(DIST)
	$(BUILD) .
ifdef CARGO
	$(BUILD) --sdist --wheel kernel
endif
	$(VENV)/release/bin/twine check --strict $(DIST)/*

lock: $(VENV)/.developing ## Lock the dependencies of the action, the hooks and the release anew, into requirements/
	$(LOCK) --output-file requirements/winnow-ci.txt
	$(foreach extra,$(LOCKED),$(LOCK) --extra $(extra) --constraints requirements/winnow-ci.txt --output-file requirements/$(extra).txt &&) :
	$(PINS) --constraints requirements/winnow-ci.txt --output-file requirements/hooks.txt
	$(LOCK) --group release --output-file requirements/release-tools.txt

clean: ## Remove what the other targets have made
	rm -rf $(VENV) .demo .figures dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache kernel/target kernel/Cargo.lock

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

$(VENV)/.kernel: $(shell find kernel -path kernel/target -prune -o -name '*.rs' -print -o -name '*.toml' -print) | $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check ./kernel
	@touch $@

# With the tools as they are locked, wherever that is.
$(VENV)/.release: requirements/release-tools.txt | $(BIN)/python
	$(PYTHON) -m venv --clear $(VENV)/release
	$(VENV)/release/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
		--requirement requirements/release-tools.txt
	@touch $@
