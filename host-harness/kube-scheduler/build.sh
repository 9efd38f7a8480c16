#!/usr/bin/env bash
# Builds kube-scheduler with the plugin, once: the binary is kept under a cache folder, by a digest of its sources. The last line of output
# is its path.
# `build.sh --path` builds nothing: it says where the binary is, and fails where there is none. Needs Go, and nothing else.
set -euo pipefail
cd "$(dirname "$0")"

# The version of Kubernetes in go.mod; its binaries say it of themselves, and so does /version.
version=$(sed -n 's#^\tk8s.io/kubernetes \(v[0-9.]*\)$#\1#p' go.mod)

digest() {
    if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi
}
sources=$(find . -name '*.go' ! -name '*_test.go' | LC_ALL=C sort)
# shellcheck disable=SC2086
key=$(cat go.mod go.sum build.sh $sources | digest | cut -c 1-16)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/lictor/kube-scheduler
binary=$cache/$key/lictor-kube-scheduler

if [ "${1:-}" = --path ]; then
    echo "$binary"
    [ -x "$binary" ]
    exit
fi
if [ -x "$binary" ]; then
    echo "kube-scheduler with the plugin is built already" >&2
    echo "$binary"
    exit
fi
if ! command -v go >/dev/null; then
    echo "kube-scheduler needs Go ($(sed -n 's/^go //p' go.mod) or later) to be built: https://go.dev/dl" >&2
    exit 1
fi
echo "building kube-scheduler with the plugin: Kubernetes $version. The first time takes 10 to 15 minutes on two cores and 3 GB of memory" >&2
mkdir -p "$cache/$key"
trap 'rm -f "$binary.$$"' EXIT
minor=${version#v*.}
stamp=k8s.io/component-base/version
# Without cgo, no C compiler is needed.
CGO_ENABLED=0 go build -o "$binary.$$" -ldflags \
    "-s -w -X $stamp.gitVersion=$version -X $stamp.gitMajor=1 -X $stamp.gitMinor=${minor%%.*}" .
mv "$binary.$$" "$binary"
# Others belong to other versions of the sources; the ones that nobody has built for a month are not needed.
find "$cache" -mindepth 1 -maxdepth 1 ! -name "$key" -mtime +30 -exec rm -rf {} +
echo "built kube-scheduler with the plugin" >&2
echo "$binary"
