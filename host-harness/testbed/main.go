// Command testbed is a small Kubernetes cluster for tests: the real control plane in one binary, and a stand-in for kubelets.
//
// `testbed up` starts one child process a part, prints one JSON line when all of it is ready, obeys commands on its standard
// input, and ends with its children and its files when that input closes. README.md has the protocol.
package main

import (
	"fmt"
	"os"

	"lictor.dev/testbed/internal/bed"
)

const usage = `usage: testbed up [flags]    start a cluster; it ends when standard input closes
       testbed up --help     say the flags
`

func main() {
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	name, args := os.Args[1], os.Args[2:]
	if name == "up" {
		os.Exit(bed.Main(args, os.Stdin, os.Stdout, os.Stderr))
	}
	part, ok := parts[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "testbed: unknown command %q\n%s", name, usage)
		os.Exit(2)
	}
	bed.EndWithParent()
	os.Exit(part(args))
}
