// Command judge answers what kube-scheduler decides for one pod in one cluster. README.md of the folder above has the protocol.
package main

import (
	"lictor.dev/judges/kube/requests"
	"lictor.dev/judges/kubernetes/internal/serve"
)

func main() { requests.Serve(serve.Answer) }
