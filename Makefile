# Tacho's commands. `make help` lists them.
# Use the first Python that is new enough.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && exit; \
  done; echo python3)
BIN := .venv/bin
TOOL := $(BIN)/python -m backend.platform.tools
# The same flags as in worker/loadgen/build.py, so that Go compiles k6 once.
GO := CGO_ENABLED=0 $(CURDIR)/$(TOOL) 'go>=1.25'
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-annotate --no-header

# Tests spend much time waiting, so two CPUs can serve four pytest workers.
WORKERS ?= 4

# Some containers set it. Then every process would compile all modules again.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help env dev-env size new-framework up upgrade join join-container demo check-examples record-examples record-schedule doctor migrate test test-fast lint prose sentences commits fmt test-python test-acceptance test-docker test-traces \
  test-load-generator test-frontend verify-service verify-services verify-cheats verify-isolation verified outdated node-modules openapi lock bench-trial bench-loadgen \
  bench-truth bench-cpu bench-aa bench-steady bench-observer guide compose-smoke proxy-smoke backup-smoke upgrade-smoke e2e e2e-team screenshots \
  bench-api bench-scale bench-finalization bench-ui bench-sequential bench-guard seed-scale \
  chaos fuzz ci-full release release-check audit

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-20s %s\n", $$1, $$2}' Makefile

env:
	@$(PYTHON) -I backend/platform/bootstrap.py

dev-env:
	@$(PYTHON) -I backend/platform/bootstrap.py --dev

up: env ## set up whatever is missing and start Tacho in the foreground
	@exec $(BIN)/tacho up

join: env ## join an installation as a bench host: URL=https://tacho.example KEY=…, from the page Installation → Hosts
	@test -n "$(URL)" -a -n "$(KEY)" || { echo "Copy the command from the page Installation → Hosts: make join URL=… KEY=…"; exit 2; }
	@$(BIN)/tacho join "$(URL)" --key "$(KEY)"

# For another Docker Compose: COMPOSE=docker-compose.
COMPOSE := docker compose
WORKER_COMPOSE := $(COMPOSE) --file docker-compose.worker.yml

join-container: ## join as a bench host whose worker is a container; needs Docker Compose instead of Python: URL=… KEY=…
	@test -n "$(URL)" -a -n "$(KEY)" || { echo "Use the address and the key from the page Installation → Hosts: make join-container URL=… KEY=…"; exit 2; }
	@$(WORKER_COMPOSE) build
	@$(WORKER_COMPOSE) run --rm worker tacho join "$(URL)" --key "$(KEY)"
	@$(WORKER_COMPOSE) up --detach

upgrade: env ## move the data to this version of Tacho and start it; restores the data if that fails
	@exec $(BIN)/tacho upgrade

demo: env ## load example runs into the running Tacho; REMOVE=1 deletes them
	@$(BIN)/tacho demo $(if $(REMOVE),--remove)

check-examples: env ## list what is wrong with the files of example runs
	@$(BIN)/tacho demo --check

record-examples: dev-env ## record all example runs again on an idle machine; STUDIES="wrk-flavours" TRIALS=5 RUNTIME=docker, RESUME=1 after an interruption, SAMPLE=1 for a test; up to 16 h
	@$(BIN)/python -m tools.benchmarks.record_examples $(if $(TRIALS),--trials $(TRIALS)) $(if $(RUNTIME),--runtime $(RUNTIME)) \
	  $(if $(SAMPLE),--sample) $(if $(RESUME),--resume) $(if $(FOLDER),--folder $(FOLDER)) $(STUDIES)

record-schedule: dev-env ## record the example schedule on an idle machine: 62 runs, two planted changes, a host event; TRIALS=5 RUNTIME=docker, RESUME=1 after an interruption, SAMPLE=1 for a test; 3 h
	@$(BIN)/python -m tools.benchmarks.record_schedule $(if $(TRIALS),--trials $(TRIALS)) $(if $(RUNTIME),--runtime $(RUNTIME)) \
	  $(if $(SAMPLE),--sample) $(if $(RESUME),--resume) $(if $(FOLDER),--folder $(FOLDER))

doctor: env ## show what this machine can run, what is missing, and how to fix it
	@$(BIN)/tacho doctor

migrate: env ## migrate the database of DATABASE_URL to the newest schema
	@$(BIN)/tacho migrate

VERIFY = $(BIN)/python -m worker.verify $(if $(RUNTIME),--runtime $(RUNTIME)) $(if $(RESUME),--resume) \
  $(if $(MINUTES),--minutes $(MINUTES)) $(if $(TIMES),--times $(TIMES)) $(if $(RERUNS),--reruns $(RERUNS)) \
  $(if $(AT_ONCE),--at-once $(AT_ONCE))

verify-service: env ## check that S=<slug> keeps the contract; RUNTIME=docker or process, default TACHO_RUNTIME
	@test -n "$(S)" || { echo "Name the framework: make verify-service S=<slug>"; exit 2; }
	@$(VERIFY) $(S)

verify-services: env ## check all frameworks; RESUME=1 skips passed ones, MINUTES=5 starts none after 5 minutes, TIMES=20 repeats each, AT_ONCE=1 checks one at a time
	@$(VERIFY)

verify-cheats: dev-env ## check that every cheat of services/reference/cheats is caught; RUNTIME=, S=<slug>, SEED=1 COUNT=4 for a sample, RECORD=1; 25 min
	@$(BIN)/python -m $(if $(RECORD),tools.benchmarks.recording )worker.verify.cheats $(if $(RUNTIME),--runtime $(RUNTIME)) \
	  $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(S)

verify-isolation: dev-env ## check that every attack of services/reference/hostile is contained; RUNTIME=, S=<slug>, SEED=1 COUNT=8 for a sample, RECORD=1; 5 min
	@$(BIN)/python -m $(if $(RECORD),tools.benchmarks.recording )worker.verify.isolation $(if $(RUNTIME),--runtime $(RUNTIME)) \
	  $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(S)

outdated: env ## list the packages of services that have a newer stable version in their registry; 5 min
	@$(BIN)/python -m worker.verify.outdated

verified: env ## print what passed the last verification on this machine as a Markdown table
	@$(BIN)/python -m worker.verify.matrix

new-framework: env ## create the folder of a new framework S=<slug> from FROM=<slug> (default node); LANGUAGE=<name> if it differs
	@test -n "$(S)" || { echo "Name the framework: make new-framework S=<slug>"; exit 2; }
	@$(BIN)/python -m worker.verify.scaffold $(S) $(if $(FROM),--model $(FROM)) $(if $(LANGUAGE),--language $(LANGUAGE))

test: dev-env ## run static checks and tests without complete trials, containers or a browser
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-python lint test-load-generator test-frontend

test-fast: node-modules ## lint the changed files and run the tests nearest to them, in about a minute; BASE=main
	@$(BIN)/python -m tools.changed $(if $(BASE),--base $(BASE))

# The areas of `make prose` that have no findings. TypeScript is read by the compiler of node-modules.
CLEAN_PROSE := adr backend docs e2e frontend load-generator migrations openapi scripts services tools worker

lint: node-modules ## run ruff, mypy, import-linter, the rule about untrusted folders, ESLint, Prettier, and the prose linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m tools.lint.untrusted_folders
	cd frontend && $(CURDIR)/$(TOOL) npm run lint
	cd frontend && $(CURDIR)/$(TOOL) npm run format:check
	$(BIN)/python -m tools.prose $(CLEAN_PROSE)

prose: node-modules ## check the prose of everything people read; AREAS="docs backend" for some
	@$(BIN)/python -m tools.prose $(AREAS)

sentences: node-modules ## draw sentences at random to read aloud; SEED=1 COUNT=60 AREAS="docs backend"
	@$(BIN)/python -m tools.prose.sentences --seed $(or $(SEED),1) --count $(or $(COUNT),60) $(AREAS)

commits: dev-env ## check the subjects of commits
	@$(BIN)/python -m tools.prose.commits

size: dev-env ## count the lines of each room, next to its goal and to 28 November 2026
	@$(BIN)/python -m tools.size

fmt: dev-env ## format and fix what can be fixed
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

test-python: node-modules ## run pytest; ARGS="path -k name" selects tests, WORKERS=4 processes share one PostgreSQL
	$(BIN)/pytest -n $(WORKERS) --dist worksteal $(ARGS)

# PARTS=3 PART=2 runs the second third of a suite.
PART_OF_TESTS = $(if $(PARTS),--splits $(PARTS) --group $(PART))

test-acceptance: dev-env ## run the tests with complete trials as processes, which take minutes; PARTS=3 PART=1 runs the first third
	$(BIN)/pytest -m "acceptance and not docker" $(PART_OF_TESTS) $(ARGS)

test-traces: dev-env ## build a collector of OpenTelemetry, and check that a run arrives there as one trace
	$(BIN)/python -m backend.tests.collector
	$(BIN)/pytest -m acceptance worker/tests/acceptance/test_traces.py $(ARGS)

test-docker: dev-env ## run the tests that need a Docker engine; PARTS=3 PART=1 runs the first third
	$(BIN)/pytest -m docker $(PART_OF_TESTS) $(ARGS)

test-load-generator: dev-env ## run go vet and go test on the load generator
	cd worker/loadgen/k6 && $(GO) vet -trimpath ./...
	cd tools/benchmarks/planted_proxy && $(GO) vet -trimpath ./...
	cd worker/loadgen/k6 && $(GO) test -trimpath ./...

test-frontend: node-modules ## check types and API client of the UI, and run vitest
	$(BIN)/python -m backend.export_openapi
	git diff --exit-code -- frontend/openapi.json frontend/public/tacho.schema.json frontend/src/api/second-charts.json
	cd frontend && $(CURDIR)/$(TOOL) npm run generate:check
	cd frontend && $(CURDIR)/$(TOOL) npm run typecheck
	cd frontend && $(CURDIR)/$(TOOL) npm run test

node-modules: dev-env
	@$(BIN)/python -m backend.platform.frontend_build frontend

e2e: dev-env ## run the browser tests against a Tacho of their own (needs Chromium); PARTS=3 PART=1 runs the first third
	@$(BIN)/python -m backend.platform.frontend_build e2e
	cd e2e && $(CURDIR)/$(TOOL) npm run typecheck
	cd e2e && $(CURDIR)/$(TOOL) npm run format:check
	cd e2e && $(CURDIR)/.ci/with-tacho $(CURDIR)/$(TOOL) npm run test$(if $(PARTS), -- --shard=$(PART)/$(PARTS))
	cd e2e && TACHO_TOKEN=token-of-the-browser-tests $(CURDIR)/.ci/with-tacho $(CURDIR)/$(TOOL) npm run test

e2e-team: dev-env ## run the browser test of a team that signs in at a Dex of its own (needs Chromium)
	@$(BIN)/python -m backend.platform.frontend_build e2e
	cd e2e && $(CURDIR)/$(BIN)/python -m backend.tests.dex $(CURDIR)/.ci/with-tacho \
	  $(CURDIR)/$(TOOL) npm run test -- team.spec.ts

screenshots: dev-env ## take the pictures of README.md, and pictures of all pages in two sizes, light and dark (.ci/artefacts/screenshots), with the example data; ONLY=readme
	@$(BIN)/python -m backend.platform.frontend_build e2e
	cd e2e && $(CURDIR)/.ci/with-tacho sh -c '$(CURDIR)/$(BIN)/tacho demo --url "$$TACHO_URL" && \
	  $(CURDIR)/$(TOOL) npm run screenshots$(if $(ONLY), -- $(ONLY))'

openapi: node-modules ## regenerate the OpenAPI document and the frontend's API client
	$(BIN)/python -m backend.export_openapi
	cd frontend && $(CURDIR)/$(TOOL) npm run generate

# RECORD=1 also writes the output of a benchmark to docs/results/.
BENCH = $(BIN)/python -m tools.benchmarks.$(if $(RECORD),recording )

bench-trial: dev-env ## measure the time of a trial without its load, with Docker; goal 2.5 s
	@$(BENCH)trial

bench-loadgen: dev-env ## compare k6, our output, our Go loop, wrk and oha on one CPU of load
	@$(BENCH)loadgen

bench-truth: dev-env ## compare reported latencies with known distributions; goal 2 % + 0.3 ms, 15 min
	@$(BENCH)truth

bench-cpu: dev-env ## compare reported CPU time with a known load and the kernel's count; goal 2 %, 3 min
	@$(BENCH)cpu

bench-aa: dev-env ## compare equal services, and services with 5 and 10 % more work; goal ≤ 4 false of 40, 30 min
	@$(BENCH)aa

bench-steady: dev-env ## compare what default profiles report with the last 60 s of a window of 180 s; S= services, C= loads, TRIALS=1; goal 95 % within 5 % or flagged; 2.7 h
	@$(BENCH)steady $(if $(S),--services $(S)) $(if $(C),--cases "$(C)") $(if $(TRIALS),--trials $(TRIALS))

bench-observer: dev-env ## measure what tacho run --wait, three live pages and a dashboard cost the measured service; ROUNDS=5; 15 min
	@$(BENCH)observer $(if $(ROUNDS),--rounds $(ROUNDS))

bench-api: dev-env ## measure the pages of bench-scale with 1,000 runs; 3 min
	@$(BENCH)many_runs --scale 0.01 --only pages

bench-scale: dev-env ## measure all pages with 100,000 runs, 20 hosts and 100 event streams, and 300 hosts that deliver trials; SCALE=0.01 HOSTS=50 is smaller, ONLY=pages or hosts, KEEP=1 keeps the data (12 GB); 17 min
	@$(BENCH)many_runs $(if $(SCALE),--scale $(SCALE)) $(if $(ONLY),--only $(ONLY)) $(if $(HOSTS),--hosts $(HOSTS)) $(if $(KEEP),--keep)

bench-finalization: dev-env ## measure how long a run of 1,000 cells x 10 trials takes to finalize; 3 min
	@$(BENCH)finalization

bench-ui: dev-env ## measure pages in Chromium on the same data; 17 min; MINUTES=0 skips the live page, LOADS=1
	@$(BIN)/python -m backend.platform.frontend_build e2e
	@$(BENCH)ui $(if $(MINUTES),--live-minutes $(MINUTES)) $(if $(LOADS),--loads $(LOADS)) $(if $(RUNS),--runs $(RUNS))

seed-scale: dev-env ## recreate the data of bench-ui: RUNS=1000; 10000 take 25 GB
	@$(BIN)/python -m tools.benchmarks.installation $(if $(RUNS),--runs $(RUNS))

bench-sequential: dev-env ## compare runs that end when the ranking is certain with fixed numbers of trials; 5 min
	@$(BENCH)sequential $(if $(SERIES),--series $(SERIES)) $(if $(PROCESSES),--processes $(PROCESSES))

bench-guard: dev-env ## check the verdicts of tacho guard on services of examples/, equal and with a planted cost; SERVICES="go-httpbin" TIMES=3 MINUTES=15, RESUME=1 after an interruption; goal 0 false, 90 % found; up to 9 h
	@$(BENCH)guard $(if $(SERVICES),--services "$(SERVICES)") $(if $(TIMES),--times $(TIMES)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(RESUME),--resume)

chaos: dev-env ## inject seeded faults into a Tacho of its own: ROUNDS= (60) faults, SEED=, RUNTIME=process, docker or both (default), ONLY=, RECORD=1; 30 min
	@$(BIN)/python -m $(if $(RECORD),tools.benchmarks.recording )tools.chaos $(if $(SEED),--seed $(SEED)) $(if $(ROUNDS),--rounds $(ROUNDS)) \
	  $(if $(RUNTIME),--runtime $(RUNTIME)) $(if $(ONLY),--only $(ONLY))

fuzz: dev-env ## send random requests and sequences of requests to a Tacho of its own: CASES=20000 SEED=, RECORD=1; 30 min
	@$(BENCH)fuzz $(if $(CASES),--cases $(CASES)) $(if $(SEED),--seed $(SEED))

ci-full: ## run everything that CI runs, in full, and record what passed in .ci/passed.json; RESUME=1 goes on; hours
	@FULL=1 RESUME=$(RESUME) .ci/run

release: dev-env ## build dist/<version>/: wheel, image, source archive, SBOMs, digests; BASE_PYTHON= or TACHO_BASES=debian; WITHOUT_IMAGE=1
	@$(BIN)/python -m tools.release build $(if $(WITHOUT_IMAGE),--without-image)

release-check: dev-env ## build the present commit in two clones, and fail if files differ; IMAGE=1 builds the image too; 4 min
	@$(BIN)/python -m tools.release check $(if $(IMAGE),--image)

audit: dev-env ## check the locked dependencies for known vulnerabilities, in the databases that answer
	@$(BIN)/python -m tools.release audit

lock: dev-env ## resolve requirements*.in into lock files with hashes
	$(COMPILE) requirements.in --output-file requirements.lock
	$(COMPILE) requirements-dev.in --output-file requirements-dev.lock

compose-smoke: dev-env ## run one trial through docker compose, on Debian-built base images
	@.ci/compose-smoke

backup-smoke: dev-env ## test that a backup made under load restores identical exports
	@.ci/backup-smoke

upgrade-smoke: dev-env ## test `tacho upgrade` on data of 22 November 2026, and on a Tacho that measures
	@.ci/upgrade-smoke

join-smoke: dev-env ## add a bench host in a network namespace with the printed command, run a trial on it, revoke it
	@.ci/join-smoke

guide: dev-env ## run every command of the operator guide that needs no other machine; PAGES="backups.md" for some
	@$(BIN)/python -m backend.tests.guide.run $(PAGES)

proxy-smoke: dev-env ## test Tacho behind nginx with TLS, with the configuration of the operator's guide
	@.ci/proxy-smoke
