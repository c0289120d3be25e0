# `make` alone lists what there is. A fresh machine needs git, make, and Bun or npm.

BUN_VERSION := 1.4.5
BUN_FOLDER := .bun
OWN_BUN := $(BUN_FOLDER)/node_modules/.bin/bun
# The Bun of this machine serves if it is the pinned one; any other, or npm, fetches the pinned one.
BUN := $(if $(filter $(BUN_VERSION),$(shell bun --version 2>/dev/null)),$(shell command -v bun),$(OWN_BUN))
INSTALLED := node_modules/.installed
SOURCES := $(shell find src config drizzle -type f 2>/dev/null) package.json bun.lock
RUN_TESTS := $(BUN) test/runner/main.ts

.DEFAULT_GOAL := help
.PHONY: help serve build test test-sqld e2e browser prove nightly check format bench mutants soak release clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

serve: dist/repo ## build, and start a repository in ./data, on port 8000
	dist/repo serve

build: dist/repo ## make the executable dist/repo

test: dist/repo ## run the tests that need nothing beyond Bun, curl and a POSIX shell; FILE=test/http/search for some of them
	@$(RUN_TESTS) $(or $(FILE),test)

test-sqld: dist/repo ## run the tests of the HTTP interface again, with their databases on libSQL servers
	@$(RUN_TESTS) sqld

e2e: dist/repo ## run the tests with killed processes, full disks and real tools (Debian packages: .ci/run)
	@$(RUN_TESTS) e2e

browser: dist/repo ## check all pages in Chromium: accessibility, keyboard, weights
	@$(RUN_TESTS) browser

prove: dist/repo ## run all tests at a small size, as .ci/run does
	@$(RUN_TESTS) e2e browser sqld-small test

nightly: dist/repo ## run all tests at full size; screenshots go to dist/screenshots
	@REPO_TEST_SIZE=full $(RUN_TESTS) e2e browser sqld test

check: $(INSTALLED) ## check format, lint and types
	$(BUN) x --bun biome check --error-on-warnings
	$(BUN) x tsc --noEmit
	$(BUN) x tsc --noEmit -p tsconfig.browser.json
	@! grep -rnE 'Bun\.env|import\.meta\.env' src || { echo 'src/base/env.ts alone reads the environment'; exit 1; }

format: $(INSTALLED) ## put the code into its format
	$(BUN) x --bun biome check --write

bench: dist/repo ## measure speed and memory as ratios to a bare server
	@{ vips --version && convert -version && nginx -v; } >/dev/null 2>&1 || \
		{ echo 'Tiles are measured with vips and ImageMagick, pages beside nginx: apt-get install libvips-tools imagemagick nginx' >&2; exit 1; }
	@{ java -version && mvn --version; } >/dev/null 2>&1 || \
		{ echo 'Searches are measured beside Lucene: apt-get install openjdk-17-jdk-headless maven' >&2; exit 1; }
	$(BUN) test/bench/processor.ts
	$(BUN) test/bench/repository.ts
	$(BUN) test/bench/growth.ts
	$(BUN) test/bench/files.ts
	$(BUN) test/bench/links.ts
	$(BUN) test/bench/derivatives.ts
	$(BUN) test/bench/scale.ts
	$(BUN) test/bench/loading.ts
	$(BUN) test/bench/pages.ts
	$(BUN) test/bench/search-index.ts
	$(BUN) test/bench/search.ts
	$(BUN) test/bench/search-peer.ts
	$(BUN) test/bench/renamed-term.ts
	$(BUN) test/bench/merged-term.ts
	$(BUN) test/bench/large-changes.ts
	$(BUN) test/bench/bulk-values.ts
	$(BUN) test/bench/table-changes.ts
	$(BUN) test/bench/harvest.ts
	$(BUN) test/bench/lists.ts
	$(BUN) test/bench/completions.ts
	$(BUN) test/bench/authorities.ts
	$(BUN) test/bench/storm.ts

# MUTANTS='--seed 7 --count 20 iiif' for other ones, or fewer.
mutants: dist/repo ## change operators of the newer parts one by one, and list the changes that no test notices
	$(BUN) test/mutants.ts $(MUTANTS)

soak: dist/repo ## run mixed traffic for eight hours; REPO_SOAK_MINUTES=60 for less
	$(BUN) test/bench/soak.ts

release: $(INSTALLED) ## make the executables of every platform, with SHA256SUMS
	$(BUN) src/build/compile.ts --release

clean: ## remove what was built and installed
	rm -rf dist node_modules $(BUN_FOLDER)

dist/repo: $(INSTALLED) $(SOURCES)
	$(BUN) src/build/compile.ts

# What the installation bundles for browsers (src/build/bundle-browser.ts) beside packages.
BUNDLED := src/build/bundle-browser.ts $(wildcard src/build/*-entry.ts) src/field-types/edtf-syntax.ts src/field-types/display/date-in-words.ts

$(INSTALLED): package.json bun.lock $(BUNDLED) | $(filter $(OWN_BUN),$(BUN))
	$(BUN) install --frozen-lockfile
	@touch $@

$(OWN_BUN):
	@echo 'Fetching Bun $(BUN_VERSION) into $(BUN_FOLDER)'
	@mkdir -p $(BUN_FOLDER)
	@echo '{ "private": true, "allowScripts": { "bun": true } }' > $(BUN_FOLDER)/package.json
	@if command -v npm >/dev/null; then npm install --prefix $(BUN_FOLDER) --no-audit --no-fund --loglevel=error bun@$(BUN_VERSION); \
	elif command -v bun >/dev/null; then cd $(BUN_FOLDER) && bun add --trust bun@$(BUN_VERSION); \
	else echo 'Neither Bun nor npm is here. Install one: https://bun.com or https://nodejs.org' >&2; exit 1; fi
	@$@ --version >/dev/null
