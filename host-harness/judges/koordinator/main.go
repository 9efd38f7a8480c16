// Command judge answers what koord-scheduler decides for one pod in one cluster. README.md of this folder has the protocol.
package main

import (
	"fmt"
	"os"
	"runtime/debug"

	"lictor.dev/judges/koordinator/internal/serve"
	"lictor.dev/judges/lines"
)

func main() {
	serve.Silence()
	// Each request leaves all of its memory behind; collecting it less often answers more requests in the same time.
	debug.SetGCPercent(800)
	if err := lines.Serve(os.Stdin, os.Stdout, serve.Answer); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}
