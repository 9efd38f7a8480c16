#!/usr/bin/env bash
# Builds kube-scheduler with the plugin, once; the last line of output is the path of the binary. `--path` builds nothing: see ../build-kept.sh.
set -euo pipefail
cd "$(dirname "$0")"
. ../build-kept.sh
kept kube-scheduler lictor-kube-scheduler "kube-scheduler with the plugin" "$@"
