#!/usr/bin/env bash
# Runs one fuzz target, or all of them one after the other: `bash run.sh TARGET|all [SECONDS]`, ten minutes each where nothing is said. What it
# reaches is kept in `artifacts/TARGET`, where a next run goes on, and a finding stands there, too, as `crash-...`, `oom-...` or `timeout-...`.
# Builds the programs as README.md says, where they are not built. The last line names the findings.
set -uo pipefail
cd "$(dirname "$0")"

target=${1:?name a target, or all}
seconds=${2:-600}
machine=x86_64-unknown-linux-gnu
programs=target/$machine/release

if [ "${LICTOR_FUZZ_BUILT:-}" = "" ]; then
    # The same dependencies as the workspace has.
    cp ../../Cargo.lock Cargo.lock
    RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares" \
        cargo build --release --target $machine || exit 1
fi

targets=$target
[ "$target" != all ] || targets=$(sed -n 's/^name = "\(.*\)"$/\1/p' Cargo.toml | grep -v '^lictor-fuzz$')
failed=""
for target in $targets; do
    mkdir -p "artifacts/$target"
    echo "== $target, $seconds seconds"
    "$programs/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="artifacts/$target/" "artifacts/$target" "corpus/$target" || failed="$failed $target"
done
echo "findings:${failed:- none}"
[ "$failed" = "" ]
