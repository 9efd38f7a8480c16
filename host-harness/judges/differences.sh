#!/usr/bin/env bash
# Makes DIFFERENCES.md: random clusters of each system, decided by its policy and by the real scheduler. Argument: the seed. Takes some
# 25 minutes of a processor on a built tree, and fails where a difference has no ruling, or a ruling explains no difference.
set -euo pipefail
cd "$(dirname "$0")"
seed=${1:-20261130}
document=$(mktemp)
trap 'rm -f "$document"' EXIT
cat >"$document" <<'HEAD'
# Differences from upstream

What the real schedulers decide for random clusters, beside what Lictor decides: attempt by attempt, in clusters that go on as Lictor
decides. Every difference is one that a ruling explains; the manual of the system (`guest/policy/src/systems/<system>/README.md`) says
why. A difference that no ruling explains fails the run. `differences.sh` made this page. To see one of the differences:

    judge=$(bash host-harness/judges/SYSTEM/build.sh | tail -n 1)
    cargo run --release -- fuzz --system SYSTEM --native --seed SEED --from NUMBER --cases 1 --judge "$judge" --verbose
HEAD
for system in "kubernetes 20000" "yunikorn 15000" "coscheduling 3000" "koordinator 4000"; do
    read -r name cases <<<"$system"
    judge=$(bash "$name/build.sh" | tail -n 1)
    cargo run --release --quiet -- fuzz --system "$name" --native --seed "$seed" --cases "$cases" --judge "$judge" --differences "$document"
done
mv "$document" DIFFERENCES.md
