// Package serve answers requests.
package serve

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"lictor.dev/judges/koordinator/internal/cluster"
	"lictor.dev/judges/koordinator/internal/upstream"
)

// request is one line of input.
type request struct {
	Now       *time.Time        `json:"now"`
	Objects   []json.RawMessage `json:"objects"`
	Arguments json.RawMessage   `json:"arguments"`
	Pod       string            `json:"pod"`
	Order     []string          `json:"order"`
	// Waiting has the node of each pod that waits at Permit, by namespace/name.
	Waiting map[string]string `json:"waiting"`
}

// Silence turns the logs of koord-scheduler off: it logs several lines for each object that it observes.
func Silence() {
	klog.LogToStderr(false)
	klog.SetLogger(logr.Discard())
	klog.SetOutput(io.Discard)
	utilruntime.ErrorHandlers = nil
}

// Answer answers one request.
func Answer(line []byte) (any, error) {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return nil, fmt.Errorf("the request cannot be read: %w", err)
	}
	arguments, err := upstream.ReadArguments(asked.Arguments)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	if asked.Now != nil {
		now = *asked.Now
	}
	state, err := cluster.Read(asked.Objects, now, asked.Order)
	if err != nil {
		return nil, err
	}
	return upstream.Attempt(state, arguments, asked.Pod, asked.Waiting)
}
