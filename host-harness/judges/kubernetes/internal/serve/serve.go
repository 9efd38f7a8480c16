// Package serve answers requests.
package serve

import (
	"lictor.dev/judges/kube/requests"
	"lictor.dev/judges/kubernetes/internal/cluster"
	"lictor.dev/judges/kubernetes/internal/upstream"
)

// request is one line of input.
type request struct {
	requests.Request
	// Entered is when a pod came to the queue, in seconds since 1970, by namespace/name.
	Entered map[string]int64 `json:"entered"`
}

// Answer answers one request.
func Answer(line []byte) (any, error) {
	var asked request
	if err := requests.Read(line, &asked); err != nil {
		return nil, err
	}
	state, err := cluster.Read(asked.Objects, asked.Present(), asked.Order)
	if err != nil {
		return nil, err
	}
	return upstream.Attempt(state, asked.Pod, asked.Entered)
}
