#!/usr/bin/env bash
# Plays what was recorded of the component in other runtimes of WebAssembly: see README.md.
#
#   players.sh install [PLAYER...]               fetches and builds what they need, once; players: python, node, go
#   players.sh play PLAYER COMPONENT TRACES      exits with 77 where the player is not installed
#
# What is installed is kept under a cache folder, by a digest of what it is built from.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# For `digest`.
. "$here/../build-kept.sh"

# Where what a player needs is kept.
folder_of() {
    local sources
    cd "$here"
    case $1 in
    python) sources=(python/requirements.txt) ;;
    node) sources=(node/package-lock.json) ;;
    go) sources=(go/go.sum go/*.go) ;;
    *) echo "there is no player $1: python, node or go" >&2 && exit 2 ;;
    esac
    echo "${XDG_CACHE_HOME:-$HOME/.cache}/lictor/portability/$1-$(cat "${sources[@]}" | digest | cut -c 1-16)"
}

needs() {
    command -v "$1" >/dev/null || { echo "the player $2 needs $1" >&2 && return 1; }
}

# Into a folder that is complete when it says so.
install() {
    rm -rf "$1" && mkdir -p "$1" && cd "$here"
    case $2 in
    python)
        needs python3 "$2"
        python3 -m venv "$1"
        "$1/bin/pip" install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r python/requirements.txt
        ;;
    node)
        needs npm "$2"
        cp node/package.json node/package-lock.json "$1"
        npm install --prefix "$1" --ignore-scripts --no-audit --no-fund --loglevel error
        ;;
    go)
        needs go "$2"
        CGO_ENABLED=0 go build -C go -o "$1/player" .
        ;;
    esac
    touch "$1/complete"
}

play() {
    local folder
    folder=$(folder_of "$1")
    if [ ! -e "$folder/complete" ]; then
        echo "the player is not installed (bash host-harness/portability/players.sh install $1)" >&2
        exit 77
    fi
    case $1 in
    python) exec "$folder/bin/python" "$here/python/play.py" "$2" "$3" ;;
    node) exec node "$here/node/play.mjs" "$2" "$3" "$folder" ;;
    go) exec "$folder/player" "$2" "$3" ;;
    esac
}

case ${1:-} in
install)
    shift
    [ $# -gt 0 ] || set -- python node go
    for player in "$@"; do
        folder=$(folder_of "$player")
        [ -e "$folder/complete" ] || install "$folder" "$player"
        echo "$player: $folder"
    done
    ;;
play) play "$2" "$3" "$4" ;;
*) sed -n 's/^#   //p' "$0" >&2 && exit 2 ;;
esac
