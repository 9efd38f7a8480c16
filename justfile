# Every recipe is a plain call of cargo or bash; nothing needs `just` to be installed.

# List the recipes
default:
    @just --list

# Build the command, the policy's component inside it
build:
    cargo build

# Show decisions on the bundled snapshot
demo:
    cargo run -- decide fixtures/snapshots/four-teams.yaml

# Run all tests
test:
    cargo test --workspace

# Build the cluster that the tests of the controller run in, once; needs Go
testbed:
    bash host-harness/testbed/build.sh

# Fetch what plays the component in other runtimes, once; needs Python, Node and Go
players:
    bash host-harness/portability/players.sh install

# A small cluster for the quickstart of the controller: three full nodes; it ends with Ctrl-D
quickstart folder='/tmp/lictor-quickstart':
    $(bash host-harness/testbed/build.sh | tail -n 1) up --folder {{folder}} --nodes 3 --node-cpu 4 --manifests host-harness/controller/deploy/admission-policy.yaml --manifests host-harness/controller/quickstart/cluster.yaml

# Run the scenarios through the component
scenarios:
    cargo run -- test fixtures/scenarios

# Measure, natively and in the component, side by side
bench *shapes='koordinator-5000 yunikorn-1000':
    cargo run --release -- bench {{shapes}}

# Random clusters against the oracle, natively and through the component
fuzz laws='koordinator' cases='1000' seed='1':
    cargo run -- fuzz --system {{laws}} --cases {{cases}} --seed {{seed}}

# Switch every law off, and to the contrary: the scenarios must notice
mutants:
    cargo test -p lictor --test laws -- --ignored --nocapture

# Measure how fast a thousand gated pods are bound on the testbed, against the same pods without a gate
live-scale:
    cargo test --release -p lictor-controller --test live -- --ignored --nocapture a_thousand_pods_on_five_hundred_nodes

# Measure what a session and its policy keep after 200,000 pods that have come and gone
churn:
    cargo test --release -p lictor --test churn -- --ignored --nocapture

# Measure what `lictor run` keeps after 200,000 pods that have come and gone against a stand-in of the API server, and what 50,000 pods take: some 20 minutes
run-churn:
    cargo build --release -p lictor --features live
    LICTOR_BINARY=$PWD/target/release/lictor cargo test -p lictor-controller --test churn -- --ignored --nocapture --test-threads 1

# Look at a cluster in a page of the browser
page snapshot='fixtures/snapshots/four-teams.yaml':
    cargo run --features page -- view {{snapshot}}

# Write the engine of the page as a package for npm
npm folder='target/npm':
    cargo run --release -p lictor-page --features npm -- {{folder}}

# Fetch the compiler of TypeScript that checks the types of that package, once; needs npm
typescript:
    bash host-harness/page/typescript.sh install

# Take pictures of the page, light and dark, on a desk and on a phone; needs Chromium and its driver
screenshots folder='target/pictures':
    LICTOR_REQUIRE_BROWSER=1 LICTOR_SCREENSHOTS={{folder}} cargo test -p lictor-page --features browser --test browser pictures

# Measure kube-scheduler with the plugin beside kube-scheduler as it comes, on workloads of scheduler_perf, so many rounds: some 3 minutes each
plugin-speed rounds='3':
    cargo build --profile bench -p lictor --features live
    LICTOR_BINARY=$PWD/target/release/lictor LICTOR_ROUNDS={{rounds}} cargo test --workspace --test plugin -- --ignored --nocapture side_by_side

# Format the code
fmt:
    cargo fmt --all

# Lint, for the machine and for wasm, warnings denied
lint:
    cargo clippy --workspace --all-targets -- -D warnings
    cargo clippy -p lictor-component -p lictor-page-app --target wasm32-unknown-unknown -- -D warnings

# Build the documentation
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# What CI runs
ci:
    bash .ci/run
