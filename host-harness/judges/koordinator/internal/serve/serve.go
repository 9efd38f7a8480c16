// Package serve answers requests.
package serve

import (
	"encoding/json"

	"lictor.dev/judges/koordinator/internal/cluster"
	"lictor.dev/judges/koordinator/internal/upstream"
	"lictor.dev/judges/kube/requests"
)

// request is one line of input.
type request struct {
	requests.Request
	Arguments json.RawMessage `json:"arguments"`
	// Waiting has the node of each pod that waits at Permit, by namespace/name.
	Waiting map[string]string `json:"waiting"`
	// Entered is when a pod came to the queue, in seconds since 1970, by namespace/name.
	Entered map[string]int64 `json:"entered"`
}

// Answer answers one request.
func Answer(line []byte) (any, error) {
	var asked request
	if err := requests.Read(line, &asked); err != nil {
		return nil, err
	}
	arguments, err := upstream.ReadArguments(asked.Arguments)
	if err != nil {
		return nil, err
	}
	state, err := cluster.Read(asked.Objects, asked.Present(), asked.Order)
	if err != nil {
		return nil, err
	}
	return upstream.Attempt(state, arguments, asked.Pod, upstream.Setting{Waiting: asked.Waiting, Entered: asked.Entered})
}
