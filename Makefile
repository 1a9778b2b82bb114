# `make` lists the targets. README.md needs two: run and test.
GO       ?= go
PKG      ?= ./...
BENCH    ?= .
COUNT    ?= 5
FUZZTIME ?= 30s
SOAK     ?= 1h
DURATION ?= 1h
TOOLS    := bin/tools
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS  := -X main.build=$(VERSION)
LINT     := $(TOOLS)/golangci-lint

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-9s %s\n", $$1, $$2}'

.PHONY: setup
setup: ## install what is missing on this machine (Debian)
	@hack/setup

.PHONY: build
build: setup ## compile xond and xonctl into bin/
	@hack/progress 'building xond and xonctl' $(GO) build -v -ldflags '$(LDFLAGS)' -o bin/ ./cmd/xond ./cmd/xonctl

.PHONY: run
run: build ## start xond with its own database, the virtual chip and a demo; Ctrl-C ends all of it
	@exec bin/xond --demo

.PHONY: test
test: setup tools ## all that a change must pass: build, vet, lint, generated code, race tests, fuzzing, scripts
	@hack/test

.PHONY: unit
unit: setup ## just the tests of PKG, without the race detector (seconds)
	$(GO) test $(PKG)

.PHONY: race
race: setup ## the tests of PKG under the race detector, in random order
	$(GO) test -race -shuffle=on $(PKG)

.PHONY: soak
soak: setup ## kill, stop and cut off the real programs at random for SOAK (1h) or KILLS times; SEED repeats a run, BLOW does one thing alone
	XON_SOAK='$(if $(KILLS),,$(SOAK))' XON_KILLS='$(KILLS)' XON_SEED='$(SEED)' XON_BLOW='$(BLOW)' $(GO) test ./test/faults -v -timeout 24h

.PHONY: golden
golden: setup ## rewrite golden files; read the diff before you commit it
	$(GO) test ./orchagent/... ./cmd/... ./test/... -update

.PHONY: fuzz
fuzz: setup ## every fuzz target for FUZZTIME
	hack/fuzz $(FUZZTIME)

.PHONY: random
random: setup ## the property tests for DURATION, at seeds of their own
	@hack/random $(DURATION)

.PHONY: mutants
mutants: setup ## break the planner, the agent and the buffer manager one line at a time; every bug must be noticed (an hour)
	@$(GO) run ./hack/mutants

.PHONY: bench
bench: build ## benchmarks of PKG that match BENCH, COUNT times each
	hack/bench '$(BENCH)' $(COUNT) $(PKG)

.PHONY: bench-e2e
bench-e2e: build ## the whole agent with its database and chip process: loads, changes, memory, processor time
	hack/bench . 1 ./test/scale

.PHONY: fmt
fmt: $(LINT) ## format the code
	$(LINT) fmt

.PHONY: lint
lint: $(LINT) ## static checks, import direction included
	$(LINT) run --allow-serial-runners
	$(LINT) fmt --diff

.PHONY: tools
tools: $(LINT) ## build the pinned tools into bin/tools: linter, gnmi_cli, grpcurl (minutes, once)

$(LINT): hack/tools/go.mod hack/tools/go.sum
	@echo "building the pinned tools: linter, gnmi_cli, grpcurl (some minutes, once)"
	@cd hack/tools && GOBIN=$(CURDIR)/$(TOOLS) ../progress 'building the tools' $(GO) install -v tool
	@touch $(LINT)

.PHONY: generate
generate: ## rebuild generated code; SAI_INC=dir takes the facts from a vendor's SAI headers first
ifdef SAI_INC
	$(GO) run ./hack/saifacts extract $(SAI_INC) > sai/facts/new.tmp && mv sai/facts/new.tmp sai/facts/sai-1.18.facts
endif
	$(GO) generate ./...

.PHONY: verify
verify: ## fail if generated code or go.mod is stale
	hack/verify

.PHONY: ci
ci: test ## what .ci/run calls
