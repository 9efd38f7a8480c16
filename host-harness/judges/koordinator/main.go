// Command judge answers what koord-scheduler decides for one pod in one cluster. README.md of this folder has the protocol.
package main

import (
	"lictor.dev/judges/koordinator/internal/serve"
	"lictor.dev/judges/kube/requests"
)

func main() { requests.Serve(serve.Answer) }
