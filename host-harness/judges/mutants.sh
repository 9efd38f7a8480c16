#!/usr/bin/env bash
# Makes MUTANTS.md: the laws of each system are switched one after the other, and the real scheduler is asked about what these mutants decide
# otherwise. Argument: the seed. Takes some 10 minutes of a processor's time on a built tree, and fails where a mutant is neither noticed nor
# given a reason.
set -euo pipefail
cd "$(dirname "$0")"
seed=${1:-5}
# The program: that of this tree, unless another one is named.
lictor=(${LICTOR:-cargo run --release --quiet --})
document=$(mktemp)
trap 'rm -f "$document"' EXIT
cat >"$document" <<'HEAD'
# Mutants that the judges notice

Each law of a system is switched off, turned to the contrary, or left without one of its cases of denial. Such a mutant plays random clusters beside the
policy, without scenarios, and the real scheduler says of what it decides otherwise whether it is what upstream decides (`README.md`, Mutants). `mutants.sh`
made this page. The kinds of reasons:

- `equal`: another law decides alike;
- `no counterpart`: upstream has no such law, or the judge has no part of what it is about;
- `explained by a ruling`: a ruling explains what the mutant decides, too;
- `not asked`: the judge is not asked about what the law decides;
- `no such cluster`: the generator makes no cluster, or few, in which the law decides.

`volcano` has no judge.
HEAD
for system in "kubernetes 3000" "yunikorn 6000" "coscheduling 5000" "koordinator 12000"; do
    read -r name cases <<<"$system"
    judge=$(bash "$name/build.sh" | tail -n 1)
    "${lictor[@]}" fuzz --system "$name" --native --seed "$seed" --cases "$cases" --judge "$judge" --mutants "$document"
done
mv "$document" MUTANTS.md
