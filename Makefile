# `make` alone lists what there is. A fresh machine needs git, make, and Bun or npm.

BUN_VERSION := 1.4.5
BUN_FOLDER := .bun
OWN_BUN := $(BUN_FOLDER)/node_modules/.bin/bun
# The Bun of this machine serves if it is the pinned one; any other, or npm, fetches the pinned one.
BUN := $(if $(filter $(BUN_VERSION),$(shell bun --version 2>/dev/null)),$(shell command -v bun),$(OWN_BUN))
INSTALLED := node_modules/.installed
SOURCES := $(shell find src config drizzle -type f 2>/dev/null) package.json bun.lock
JUNIT ?= dist/junit
# The head size of the executable (src/build/compile.ts), for tests that run from source.
# The time-out allows for real faults: KILL follows five seconds after TERM.
TEST := test/support/run-tests.sh $(BUN) --max-http-header-size=2097152 test --timeout 30000
# No forced garbage collection in a process that starts hundreds of repositories.
QUICK := $(TEST) --preload ./test/support/without-collecting.ts

.DEFAULT_GOAL := help
.PHONY: help serve build test test-waiting test-processor test-repository test-parts test-sqld test-sqld-first test-sqld-last e2e e2e-scale e2e-kills e2e-others browser browser-pages browser-others check format bench mutants soak release clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

serve: dist/repo ## build, and start a repository in ./data, on port 8000
	dist/repo serve

build: dist/repo ## make the executable dist/repo

TESTS := $(shell find test/unit test/contract test/docs test/http test/binary -name '*.test.ts' 2>/dev/null | sort)
# Four processes of about the same time for two cores: the tests of the first one mostly wait.
WAITING := $(filter $(foreach name,book-pdf capacity derivative-faults dispatcher limits login-limits log open-port processor-killed remote-client retry slow-upload storage-failure two-processes upload-rate watch-writes working-folder write-queue,%/$(name).test.ts) test/http/manage/% test/http/uploads/%,$(TESTS))
PROCESSOR := $(filter-out $(WAITING),$(filter test/http/processor/% test/http/all/% test/http/workbench/% test/http/transfer/% test/http/iiif/% test/http/search/% test/http/pages/% test/contract/% test/binary/%,$(TESTS)))
REPOSITORY := $(filter-out $(WAITING),$(wildcard test/http/repository/[a-o]*.test.ts))
PARTS := $(filter-out $(WAITING) $(PROCESSOR) $(REPOSITORY),$(TESTS))

test: dist/repo ## run the tests that need nothing beyond Bun, curl and a POSIX shell
	@mkdir -p $(JUNIT)
	@$(MAKE) --no-print-directory --output-sync=target -j4 -k test-waiting test-processor test-repository test-parts

test-waiting:
	$(QUICK) --reporter=junit --reporter-outfile=$(JUNIT)/test-waiting.xml $(WAITING)

test-processor:
	$(QUICK) --reporter=junit --reporter-outfile=$(JUNIT)/test-processor.xml $(PROCESSOR)

test-repository:
	$(QUICK) --reporter=junit --reporter-outfile=$(JUNIT)/test-repository.xml $(REPOSITORY)

test-parts:
	$(QUICK) --reporter=junit --reporter-outfile=$(JUNIT)/test-parts.xml $(PARTS)

test-sqld: dist/repo ## run the tests of the HTTP interface again, with their databases on libSQL servers
	@mkdir -p $(JUNIT)
	@$(MAKE) --no-print-directory --output-sync=target -j2 -k test-sqld-first test-sqld-last

EARLY := $(wildcard test/http/repository/[a-i]*.test.ts)
LATE := $(filter-out $(EARLY),$(wildcard test/http/repository/*.test.ts))

test-sqld-first:
	REPO_TEST_DATABASE=sqld $(QUICK) --reporter=junit --reporter-outfile=$(JUNIT)/test-sqld-first.xml $(EARLY)

test-sqld-last:
	REPO_TEST_DATABASE=sqld $(QUICK) --reporter=junit --reporter-outfile=$(JUNIT)/test-sqld-last.xml $(LATE) test/http/all test/http/harvest test/http/search test/http/workbench

# Two groups of about the same time: buckets, database servers, workers and backups; all others.
SCALE := $(foreach name,storage derivatives-kill lost-database backup database repository-s3 two-servers workers slow-readers replica documentation derivative-queue repository/round-trips repository/first-round-trips,$(wildcard test/e2e/$(name)*.test.ts))
KILLS := test/e2e/kill.test.ts
OTHERS := $(filter-out $(SCALE) $(KILLS),$(wildcard test/e2e/*.test.ts test/e2e/*/*.test.ts))

e2e: dist/repo ## run the long tests, and those with real tools (ImageMagick, vips, ffmpeg, tesseract, poppler, pandoc, LibreOffice, exiftool, sqlite3)
	@mkdir -p $(JUNIT)
	@$(MAKE) --no-print-directory --output-sync=target -j2 -k e2e-scale e2e-kills e2e-others

e2e-scale:
	$(TEST) --reporter=junit --reporter-outfile=$(JUNIT)/e2e-scale.xml $(SCALE)

e2e-kills:
	$(TEST) --reporter=junit --reporter-outfile=$(JUNIT)/e2e-kills.xml $(KILLS)

e2e-others:
	$(TEST) --reporter=junit --reporter-outfile=$(JUNIT)/e2e-others.xml $(OTHERS)

# Two groups of about the same time. The second one waits more: for uploads, and for the ends of changes.
BROWSER_PAGES := $(foreach name,accounts manage pages policy search viewer viewer-documents viewer-players video without-script,test/browser/$(name).test.ts)
BROWSER_OTHERS := $(filter-out $(BROWSER_PAGES),$(wildcard test/browser/*.test.ts))

browser: dist/repo ## check all pages in Chromium: accessibility, keyboard, weights; screenshots go to dist/screenshots
	@mkdir -p $(JUNIT)
	@$(MAKE) --no-print-directory --output-sync=target -j2 -k browser-pages browser-others

browser-pages:
	$(TEST) --reporter=junit --reporter-outfile=$(JUNIT)/browser-pages.xml $(BROWSER_PAGES)

browser-others:
	$(TEST) --reporter=junit --reporter-outfile=$(JUNIT)/browser-others.xml $(BROWSER_OTHERS)

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
	$(BUN) test/bench/renamed-term.ts
	$(BUN) test/bench/harvest.ts
	$(BUN) test/bench/lists.ts
	$(BUN) test/bench/completions.ts

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
