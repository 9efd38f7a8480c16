// Package serve answers requests.
package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"lictor.dev/judges/kubernetes/internal/cluster"
	"lictor.dev/judges/kubernetes/internal/upstream"
)

// request is one line of input.
type request struct {
	Now     *time.Time        `json:"now"`
	Objects []json.RawMessage `json:"objects"`
	Pod     string            `json:"pod"`
	Order   []string          `json:"order"`
}

// Silence turns the logs of kube-scheduler off: without an API server, each attempt for a group logs an error.
func Silence() {
	klog.LogToStderr(false)
	klog.SetLogger(klog.New(nil))
	klog.SetOutput(io.Discard)
	utilruntime.ErrorHandlers = nil
}

// Answer answers one request.
func Answer(line []byte) (any, error) {
	var asked request
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
	return upstream.Attempt(state, asked.Pod)
}
