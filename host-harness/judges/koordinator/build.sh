#!/usr/bin/env bash
# Builds the judge, once; the last line of output is the path of the binary. `--path` builds nothing: see ../../build-kept.sh.
set -euo pipefail
cd "$(dirname "$0")"
. ../../build-kept.sh
kept judge-koordinator judge "the judge of Koordinator" "$@"
