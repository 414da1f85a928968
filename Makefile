# Tacho's commands. `make help` lists them.
# The first Python that is new enough.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && exit; \
  done; echo python3)
BIN := .venv/bin
TOOL := $(BIN)/python -m backend.platform.tools
# As worker/loadgen/build.py builds: with other flags, Go would compile all of k6 a second time.
GO := CGO_ENABLED=0 $(CURDIR)/$(TOOL) 'go>=1.25'
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-annotate --no-header

# Tests wait much of their time, so two CPUs serve four pytest workers.
WORKERS ?= 4

.DEFAULT_GOAL := help
.PHONY: help env dev-env new-framework up demo doctor migrate test lint prose commits fmt test-python test-acceptance test-docker \
  test-load-generator test-frontend verify-service verify-services verified node-modules openapi lock bench-trial bench-loadgen \
  bench-truth bench-cpu bench-aa bench-changes bench-spread compose-smoke e2e \
  bench-sampling bench-ingest bench-wrk bench-api bench-limits bench-start bench-ui bench-detector bench-coverage seed-scale \
  chaos

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-20s %s\n", $$1, $$2}' Makefile

env:
	@$(PYTHON) -I backend/platform/bootstrap.py

dev-env:
	@$(PYTHON) -I backend/platform/bootstrap.py --dev

up: env ## set up whatever is missing and start Tacho in the foreground
	@exec $(BIN)/tacho up

demo: env ## load example runs into the Tacho that is up; REMOVE=1 takes them away again
	@$(BIN)/tacho demo $(if $(REMOVE),--remove)

doctor: env ## what this machine can run, what is missing, and the fix for each
	@$(BIN)/tacho doctor

migrate: env ## bring the database of DATABASE_URL up to date
	@$(BIN)/tacho migrate

VERIFY = $(BIN)/python -m worker.verify $(if $(RUNTIME),--runtime $(RUNTIME)) $(if $(RESUME),--resume) \
  $(if $(MINUTES),--minutes $(MINUTES)) $(if $(TIMES),--times $(TIMES)) $(if $(RERUNS),--reruns $(RERUNS)) \
  $(if $(AT_ONCE),--at-once $(AT_ONCE))

verify-service: env ## does S=<slug> keep the contract? RUNTIME=docker or process, else TACHO_RUNTIME's
	@test -n "$(S)" || { echo "say which: make verify-service S=<slug of a framework>"; exit 2; }
	@$(VERIFY) $(S)

verify-services: env ## the same for all; RESUME=1 passes over what passed, MINUTES=5 for the next in turn, TIMES=20 each so often, AT_ONCE=1 one after another
	@$(VERIFY)

verified: env ## what passed here when it was last verified, as a table in Markdown
	@$(BIN)/python -m worker.verify.matrix

new-framework: env ## the folder of a new framework S=<slug>, begun from FROM=<slug> (default node); LANGUAGE=<name> if another
	@test -n "$(S)" || { echo "say what it is called: make new-framework S=<slug>"; exit 2; }
	@$(BIN)/python -m worker.verify.scaffold $(S) $(if $(FROM),--model $(FROM)) $(if $(LANGUAGE),--language $(LANGUAGE))

test: dev-env ## static checks and tests, but no whole trials, containers or browser
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint test-load-generator test-python test-frontend

lint: dev-env ## ruff, mypy, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

prose: node-modules ## check the prose of everything people read; AREAS="docs backend" for some
	@$(BIN)/python -m prose $(AREAS)

commits: dev-env ## check the subjects of commits
	@$(BIN)/python -m prose.commits

fmt: dev-env ## format and fix what can be fixed
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

test-python: dev-env ## pytest, ARGS="path -k name" for some; WORKERS=4 processes share one PostgreSQL
	$(BIN)/pytest -n $(WORKERS) --dist worksteal $(ARGS)

test-acceptance: dev-env ## pytest of whole trials as processes, which take minutes of real time
	$(BIN)/pytest -m "acceptance and not docker" --keep-duplicates $(or $(ARGS),backend/tests worker/tests backend/tests/contract_in_full.py)

test-docker: dev-env ## pytest of all that needs a Docker engine
	$(BIN)/pytest -m docker $(ARGS)

test-load-generator: dev-env ## go vet and go test of the load generator
	cd worker/loadgen/k6 && $(GO) vet -trimpath ./...
	cd worker/loadgen/k6 && $(GO) test -trimpath ./...

test-frontend: node-modules ## types, lint, generated API client, vitest
	$(BIN)/python -m backend.export_openapi
	git diff --exit-code -- frontend/openapi.json
	cd frontend && $(CURDIR)/$(TOOL) npm run generate:check
	cd frontend && $(CURDIR)/$(TOOL) npm run typecheck
	cd frontend && $(CURDIR)/$(TOOL) npm run lint
	cd frontend && $(CURDIR)/$(TOOL) npm run format:check
	cd frontend && $(CURDIR)/$(TOOL) npm run test

node-modules: dev-env
	@$(BIN)/python -m backend.platform.frontend_build frontend

e2e: dev-env ## the browser against a whole Tacho of its own (needs Chromium)
	@$(BIN)/python -m backend.platform.frontend_build e2e
	cd e2e && $(CURDIR)/$(TOOL) npm run typecheck
	cd e2e && $(CURDIR)/$(TOOL) npm run format:check
	cd e2e && $(CURDIR)/.ci/with-tacho $(CURDIR)/$(TOOL) npm run test
	cd e2e && TACHO_TOKEN=token-of-the-browser-tests $(CURDIR)/.ci/with-tacho $(CURDIR)/$(TOOL) npm run test

openapi: node-modules ## write the REST contract and the frontend's client of it anew
	$(BIN)/python -m backend.export_openapi
	cd frontend && $(CURDIR)/$(TOOL) npm run generate

# RECORD=1 also writes the output of a benchmark to docs/results/.
BENCH = $(BIN)/python -m worker.benchmarks.$(if $(RECORD),recording )

bench-trial: dev-env ## what a trial costs beside its load, with Docker; goal 2.5 s
	@$(BENCH)trial

bench-loadgen: dev-env ## one CPU of load: k6, our output, our Go loop, wrk, oha side by side
	@$(BENCH)loadgen

bench-truth: dev-env ## reported latencies beside known distributions; goal 2 % + 0.3 ms, 15 min
	@$(BENCH)truth

bench-cpu: dev-env ## reported CPU time beside what was burnt and the kernel's count; goal 2 %, 3 min
	@$(BENCH)cpu

bench-aa: dev-env ## words on equal services, and on 5 and 10 % more work; goal ≤ 4 of 40, 30 min
	@$(BENCH)aa

bench-changes: dev-env ## a slower build and a slower host told apart, end to end; RUNTIME=docker; 15 min
	@$(BENCH)changes --runtime $(or $(RUNTIME),process)

bench-spread: dev-env ## how much 20 trials of hello on node differ, metric by metric; 7 min
	@$(BENCH)spread

bench-sampling: dev-env ## what counting CPU and memory costs, in each runtime; goal 1 % of a core
	@$(BENCH)sampling

bench-ingest: dev-env ## a run of 100 × 10 minutes through parser, joining and PostgreSQL
	@$(BENCH)ingest

bench-wrk: dev-env ## throughput by Tacho against wrk on the same service and CPUs
	@$(BENCH)wrk

bench-api: dev-env ## time of the API for each page of a made-up installation of RUNS=1000; goal p95 50 ms
	@$(BENCH)pages $(if $(RUNS),--runs $(RUNS))

bench-start: dev-env ## CPU time of an API start next to a bare API on the same libraries; 1 min
	@$(BENCH)start

bench-limits: dev-env ## GET /runs while 200 clients fetch a large run, 200 follow one, 16 export; 2 min
	@$(BENCH)limits

bench-ui: dev-env ## how quick pages are in Chromium, in the same installation; 17 min; MINUTES=0 without a live page, LOADS=1
	@$(BIN)/python -m backend.platform.frontend_build e2e
	@$(BENCH)ui $(if $(MINUTES),--live-minutes $(MINUTES)) $(if $(LOADS),--loads $(LOADS)) $(if $(RUNS),--runs $(RUNS))

seed-scale: dev-env ## seed the installation of bench-api and bench-ui anew: RUNS=1000; 10000 are 25 GB
	@$(BIN)/python -m worker.benchmarks.installation $(if $(RUNS),--runs $(RUNS))

bench-detector: dev-env ## the detector of changes, simulated, beside Otava and thresholds; 20 min
	@$(BENCH)detector $(if $(SERIES),--series $(SERIES)) $(if $(PROCESSES),--processes $(PROCESSES))

bench-coverage: dev-env ## how many of 100 intervals hold the truth, by simulation; goal 93 to 97
	@$(BENCH)coverage

chaos: dev-env ## seeded faults against a Tacho of its own: SEED=, FAULTS= (60), RUNTIME=process, docker or both, ONLY=; 30 min
	@$(BIN)/python -m worker.chaos $(if $(SEED),--seed $(SEED)) $(if $(FAULTS),--faults $(FAULTS)) \
	  $(if $(RUNTIME),--runtime $(RUNTIME)) $(if $(ONLY),--only $(ONLY))

lock: dev-env ## resolve requirements*.in into the hashed lock files
	$(COMPILE) requirements.in --output-file requirements.lock
	$(COMPILE) requirements-dev.in --output-file requirements-dev.lock

compose-smoke: dev-env ## docker compose once for real, on Debian-built bases, with one trial
	@.ci/compose-smoke
