# The commands people type. The build itself is CMake's: CMakePresets.json names the trees
# (build/, build-asan/, ...), scripts/ holds what takes more than one line.

PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_ARGS ?=
# How long each fuzz target runs, in seconds: by `make fuzz`, and among the tests.
FUZZ_SECONDS ?= 600
FUZZ_TEST_SECONDS ?= 2

PRONK = build/pronk
HINT = { echo "The configuration failed. Missing packages? Try scripts/bootstrap $(1)" >&2; exit 1; }
configure = cmake --preset $(1) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(3) $(CMAKE_ARGS) || $(call HINT,$(2))
compile = cmake --build --preset $(1) -j $(JOBS)
check = ctest --preset $(1) -j $(JOBS) --no-tests=error
# Cases that did not run, or not to their end, each with its name: CTest counts their programs as passed.
skipped = sed -n 's/^\[  SKIPPED \] \([a-z].*\)/skipped in $(1): \1/p' $(1)/Testing/Temporary/LastTest.log | sort -u

.DEFAULT_GOAL := all
.NOTPARALLEL:
.PHONY: all viewer demo test test-release test-asan test-all test-long test-gcc test-tsan test-peers bench docs install fuzz lint \
        format clean help

all: ## configure and build into build/; the command is build/pronk
	@$(call configure,release,build)
	@$(call compile,release)
	@scripts/viewer

viewer: ## build the browser viewer into viewer/dist (needs nodejs and npm)
	@scripts/viewer --required

demo: ## install what is missing, build, let StarLETH trot, write a report
	@scripts/bootstrap build
	@$(call configure,release,build)
	@$(call compile,release) --target pronk_cli
	@scripts/viewer
	$(PRONK) run starleth-trot --certify
	@echo
	@echo "Open out/starleth-trot/report.html in a browser. Next:"
	@echo "  $(PRONK) view starleth-trot                    live: drag, push, change its speed"
	@echo "  $(PRONK) view out/starleth-trot/run.mcap       what was recorded"

test: ## install what is missing; all tests with clang; again with sanitizers, and the fuzz targets for seconds
	@scripts/bootstrap test
	@$(MAKE) --no-print-directory test-release test-asan

test-release: all
	$(call check,release)
	@$(call skipped,build)

test-asan:
	@$(call configure,asan,test,-DPK_FUZZ_SECONDS=$(FUZZ_TEST_SECONDS))
	@$(call compile,asan)
	$(call check,asan)
	@$(call skipped,build-asan)

test-all: ## test, and with gcc, thread sanitizer, linters, comparison with other engines
	@scripts/bootstrap test peers gcc tsan lint
	@$(MAKE) --no-print-directory test-release test-asan test-peers test-gcc test-tsan lint

test-long: ## the tests that take long: 50 killed runs, 100 000 pairs of shapes, whole scenes, the sweep of 2000 trots
	@scripts/bootstrap test
	@$(MAKE) --no-print-directory all
	PRONK_KILLS=50 PRONK_PAIRS=100000 PRONK_LONG=1 $(call check,release) -L long

test-peers: all
	@npm ci --prefix tests/peers --no-audit --no-fund --loglevel=error || echo "MuJoCo for JavaScript could not be fetched: peers/mjcf_modern is skipped"
	$(call check,peers)
	@$(call skipped,build)

test-gcc:
	@$(call configure,gcc,gcc)
	@$(call compile,gcc)
	$(call check,gcc)
	@$(call skipped,build-gcc)

test-tsan:
	@$(call configure,tsan,tsan)
	@$(call compile,tsan)
	$(call check,tsan)
	@$(call skipped,build-tsan)

bench: ## this machine: Pronk beside the other engines
	@scripts/bootstrap peers
	@$(MAKE) --no-print-directory all
	$(PRONK) bench

fuzz: ## run each fuzz target for FUZZ_SECONDS
	@scripts/bootstrap test
	@$(call configure,asan,test)
	@$(call compile,asan)
	scripts/fuzz build-asan $(FUZZ_SECONDS)

lint: ## clang-format, clang-tidy and cppcheck
	@scripts/bootstrap lint
	@$(call configure,lint,lint)
	scripts/lint build-lint

format: ## lay the code out with clang-format
	@scripts/bootstrap lint
	scripts/lint --fix-format

docs: ## the reference of the C API, into build/docs/
	@scripts/bootstrap docs
	@mkdir -p build/docs
	doxygen docs/Doxyfile
	@echo "Open build/docs/html/index.html"

install: all ## install under PREFIX (DESTDIR is honoured)
	DESTDIR=$(DESTDIR) cmake --install build

clean: ## remove everything that was built
	rm -rf build build-debug build-asan build-gcc build-tsan build-lint out viewer/dist

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-12s %s\n", $$1, $$2}'
