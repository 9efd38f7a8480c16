// Command judge answers what kube-scheduler with the plugins Coscheduling and CapacityScheduling decides for one pod in one cluster.
// README.md has the protocol.
package main

import (
	"runtime/debug"

	"lictor.dev/judges/coscheduling/internal/serve"
	"lictor.dev/judges/kube/requests"
)

func main() {
	// Some memory is held for a second by goroutines of kube-scheduler that look that often whether they are to end.
	debug.SetMemoryLimit(512 << 20)
	requests.Serve(serve.Answer)
}
