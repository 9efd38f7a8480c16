// Command judge answers what kube-scheduler with the plugins Coscheduling and CapacityScheduling decides for one pod in one cluster.
// README.md has the protocol.
package main

import (
	"fmt"
	"os"
	"runtime/debug"

	"lictor.dev/judges/coscheduling/internal/serve"
	"lictor.dev/judges/lines"
)

func main() {
	serve.Silence()
	// Each request leaves all of its memory behind; collecting it less often answers more requests in the same time.
	debug.SetGCPercent(800)
	// Some of it is held for a second by goroutines of kube-scheduler that look that often whether they are to end.
	debug.SetMemoryLimit(512 << 20)
	if err := lines.Serve(os.Stdin, os.Stdout, serve.Answer); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}
