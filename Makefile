# The verbs of the project. `make` alone lists them.
.PHONY: help demo test check bench fuzz gen smells

help:
	@echo "make demo    compare every estimator on the iris data and write a page"
	@echo "make test    every test: Rust, Python, the tour; then the rows of docs/spec.md proved"
	@echo "make check   format, lints, smells, README"
	@echo "make bench   side-by-side runs against other libraries"
	@echo "make fuzz    hostile inputs, FUZZ_SECONDS (600) for each target"
	@echo "make gen     pages, Python classes and types made from the catalogue of kernels and estimators"
	@echo "make smells  what a reviewer would refuse"

demo:
	@mkdir -p target/demo && cargo run --profile demo --locked --package mercer-cli -- compare example:iris --report target/demo/iris.html
	@echo "$(CURDIR)/target/demo/iris.html"

test:
	@scripts/test.sh

# `cargo fmt` does not reach the files that lists in macros name.
RUST := crates bench fuzz xtask
check: smells
	find $(RUST) -name '*.rs' -not -path '*/target/*' | xargs rustfmt --check --edition 2024 && cargo xtask readme && cargo clippy --locked --workspace --all-targets -- --deny warnings
	cargo clippy --locked --package mercer --no-default-features -- --deny warnings

bench:
	@bench/run.sh

FUZZ_SECONDS ?= 600
fuzz:
	@scripts/fuzz.sh $(FUZZ_SECONDS)

# Built with the features of the whole workspace and of the tests, so that the library is not compiled once more.
gen:
	@cargo build --quiet --locked --workspace --bin mercer-gen --features mercer/testkit
	@"$${CARGO_TARGET_DIR:-target}/debug/mercer-gen" .

smells:
	@cargo xtask smells
