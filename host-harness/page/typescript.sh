#!/usr/bin/env bash
# The compiler of TypeScript, with which the tests check the types of the npm package.
#
#   typescript.sh install          fetches it, once; needs npm
#   typescript.sh run ARGUMENT...  runs it; exits with 77 where it is not installed
#
# It is kept under a cache folder, by a digest of its lock file.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# For `digest`.
. "$here/../build-kept.sh"

locked=$here/tests/npm
folder=${XDG_CACHE_HOME:-$HOME/.cache}/lictor/typescript/$(digest <"$locked/package-lock.json" | cut -c 1-16)

case ${1:-} in
install)
    if [ ! -e "$folder/complete" ]; then
        command -v npm >/dev/null || { echo "npm is missing" >&2 && exit 1; }
        rm -rf "$folder" && mkdir -p "$folder"
        cp "$locked/package.json" "$locked/package-lock.json" "$folder"
        npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel error
        touch "$folder/complete"
    fi
    echo "$folder"
    ;;
run)
    shift
    if [ ! -e "$folder/complete" ]; then
        echo "the compiler of TypeScript is not installed (bash host-harness/page/typescript.sh install)" >&2
        exit 77
    fi
    exec "$folder/node_modules/.bin/tsc" "$@"
    ;;
*) sed -n 's/^#   //p' "$0" >&2 && exit 2 ;;
esac
