// Package serve answers requests.
package serve

import (
	"time"

	"lictor.dev/judges/coscheduling/internal/cluster"
	"lictor.dev/judges/coscheduling/internal/upstream"
	"lictor.dev/judges/kube/requests"
)

// request is one line of input.
type request struct {
	requests.Request
	Waiting   map[string]string `json:"waiting"`
	BackedOff []string          `json:"backedOff"`
	Permitted []string          `json:"permitted"`
	Arguments arguments         `json:"arguments"`
}

// Answer answers one request.
func Answer(line []byte) (any, error) {
	asked := request{Arguments: upstreamDefaults()}
	if err := requests.Read(line, &asked); err != nil {
		return nil, err
	}
	state, err := cluster.Read(asked.Objects, asked.Present(), asked.Order)
	if err != nil {
		return nil, err
	}
	return upstream.Attempt(state, asked.Pod, upstream.Setting{
		PermitTimeout: time.Duration(asked.Arguments.PermitTimeout),
		Backoff:       time.Duration(asked.Arguments.PodGroupBackoff),
		Waiting:       asked.Waiting,
		BackedOff:     asked.BackedOff,
		Permitted:     asked.Permitted,
	})
}
