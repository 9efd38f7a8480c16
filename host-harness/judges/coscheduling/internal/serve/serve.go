// Package serve answers requests.
package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"lictor.dev/judges/coscheduling/internal/cluster"
	"lictor.dev/judges/coscheduling/internal/upstream"
)

// request is one line of input.
type request struct {
	Now       *time.Time        `json:"now"`
	Objects   []json.RawMessage `json:"objects"`
	Pod       string            `json:"pod"`
	Order     []string          `json:"order"`
	Waiting   map[string]string `json:"waiting"`
	BackedOff []string          `json:"backedOff"`
	Permitted []string          `json:"permitted"`
	Arguments arguments         `json:"arguments"`
}

// Silence turns the logs of kube-scheduler off.
func Silence() {
	klog.LogToStderr(false)
	klog.SetLogger(klog.New(nil))
	klog.SetOutput(io.Discard)
	utilruntime.ErrorHandlers = nil
}

// Answer answers one request.
func Answer(line []byte) (any, error) {
	asked := request{Arguments: upstreamDefaults()}
	if err := json.Unmarshal(line, &asked); err != nil {
		return nil, fmt.Errorf("the request cannot be read: %w", err)
	}
	now := time.Now()
	if asked.Now != nil {
		now = *asked.Now
	}
	state, err := cluster.Read(asked.Objects, now, asked.Order)
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
