// Package requests has what the requests of all judges have, and what a judge does before it answers any.
package requests

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"lictor.dev/judges/lines"
)

// Request is one line of input. A judge whose requests say more embeds it.
type Request struct {
	Now     *time.Time        `json:"now"`
	Objects []json.RawMessage `json:"objects"`
	// Pod is the pod to decide about, by namespace/name.
	Pod   string   `json:"pod"`
	Order []string `json:"order"`
}

// Read reads a line into a request. An error names a field as the request does, without the embedded Request.
func Read(line []byte, request any) error {
	err := json.Unmarshal(line, request)
	if err == nil {
		return nil
	}
	if field, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field.Field = strings.TrimPrefix(field.Field, "Request.")
	}
	return fmt.Errorf("the request cannot be read: %w", err)
}

// Present returns the present of the cluster.
func (r Request) Present() time.Time {
	if r.Now != nil {
		return *r.Now
	}
	return time.Now()
}

// Silence turns the logs of the scheduler off: it logs what it observes, and an error where it misses an API server.
func Silence() {
	klog.LogToStderr(false)
	klog.SetLogger(logr.Discard())
	klog.SetOutput(io.Discard)
	utilruntime.ErrorHandlers = nil
}

// Serve answers the requests on the input until it ends, and ends the program if it cannot.
func Serve(answer func(line []byte) (any, error)) {
	Silence()
	// Each request leaves all of its memory behind; collecting it less often answers a third more requests in the same time.
	debug.SetGCPercent(800)
	if err := lines.Serve(os.Stdin, os.Stdout, answer); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}
