# Recipes of the project; `just` lists them. Each is a plain cargo call: nothing needs just to be installed.

[private]
default:
    @just --list --unsorted

# Build the harness, the command and the component in it
build:
    cargo build --workspace

# Run every test
test:
    cargo test --workspace

# Decide about the bundled snapshot
demo:
    cargo run -- decide fixtures/snapshots/four-teams.yaml

# Run the scenarios of the systems that are built, on the embedded component
scenarios:
    cargo run -- test fixtures/scenarios/koordinator fixtures/scenarios/coscheduling fixtures/scenarios/kubernetes

# Measure
bench:
    cargo bench --workspace

# Format
fmt:
    cargo fmt --all

# Check the format and the lints, for this machine and for wasm
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    cargo clippy -p lictor-component --target wasm32-unknown-unknown -- -D warnings

# Build the documentation
doc:
    cargo doc --workspace --no-deps

# Everything that must hold before a change is merged
ci:
    .ci/run
