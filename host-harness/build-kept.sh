# Builds a Go program of Kubernetes' parts, once: the binary is kept under a cache folder, by a digest of its sources. For the `build.sh` of a
# module, which is called with `--path` or nothing, in its folder: `kept NAME BINARY WHAT "$@"`. The last line of output is the path of the
# binary. With `--path` nothing is built: it says where the binary is, and fails where there is none. Needs Go, and nothing else.

digest() {
    if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi
}

kept() {
    local name=$1 program=$2 what=$3 asked=${4:-}
    # The version of Kubernetes in go.mod; its binaries say it of themselves, and so does /version. Empty: the program has no parts of it.
    local version key cache folders sources
    version=$(sed -n 's#^\tk8s.io/kubernetes \(v[0-9.]*\)$#\1#p' go.mod)
    # The module, and the modules beside it that go.mod replaces by their folders.
    folders=$(sed -n 's#^replace .* => \(\.\./.*\)$#\1#p' go.mod)
    # shellcheck disable=SC2086
    sources=$(find . $folders -name '*.go' ! -name '*_test.go' | LC_ALL=C sort)
    # shellcheck disable=SC2086
    key=$(cat go.mod go.sum "${BASH_SOURCE[0]}" $sources | digest | cut -c 1-16)
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/lictor/$name
    binary=$cache/$key/$program
    if [ "$asked" = --path ]; then
        echo "$binary"
        [ -x "$binary" ]
        return
    fi
    if [ -x "$binary" ]; then
        echo "$what is built already" >&2
        echo "$binary"
        return
    fi
    if ! command -v go >/dev/null; then
        echo "$what needs Go ($(sed -n 's/^go //p' go.mod) or later) to be built" >&2
        return 1
    fi
    if [ -n "$version" ]; then
        echo "building $what: Kubernetes $version. The first time takes 10 to 15 minutes on two cores and 3 GB of memory" >&2
    else
        echo "building $what" >&2
    fi
    mkdir -p "$cache/$key"
    trap 'rm -f "$binary.$$"' EXIT
    local minor=${version#v*.} stamp=k8s.io/component-base/version flags="-s -w"
    if [ -n "$version" ]; then
        flags="$flags -X $stamp.gitVersion=$version -X $stamp.gitMajor=1 -X $stamp.gitMinor=${minor%%.*}"
    fi
    # Without cgo, no C compiler is needed.
    CGO_ENABLED=0 go build -o "$binary.$$" -ldflags "$flags" .
    mv "$binary.$$" "$binary"
    # Others belong to other versions of the sources; the ones that nobody has built for a month are not needed.
    find "$cache" -mindepth 1 -maxdepth 1 ! -name "$key" -mtime +30 -exec rm -rf {} +
    echo "built $what" >&2
    echo "$binary"
}
