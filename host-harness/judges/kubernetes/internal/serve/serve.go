// Package serve answers requests, one a line.
package serve

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
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
	ID      json.RawMessage   `json:"id"`
	Now     *time.Time        `json:"now"`
	Objects []json.RawMessage `json:"objects"`
	Pod     string            `json:"pod"`
	Order   []string          `json:"order"`
}

// answer is one line of output.
type answer struct {
	ID    json.RawMessage `json:"id"`
	Error string          `json:"error,omitempty"`
	*upstream.Answer
}

// Silence turns the logs of kube-scheduler off: without an API server, each attempt for a group logs an error.
func Silence() {
	klog.LogToStderr(false)
	klog.SetLogger(klog.New(nil))
	klog.SetOutput(io.Discard)
	utilruntime.ErrorHandlers = nil
}

// Lines answers every line until the input ends. It ends with an error only where the input cannot be read or the output not written.
func Lines(input *bufio.Reader, output *json.Encoder) error {
	output.SetEscapeHTML(false)
	for {
		line, err := input.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := output.Encode(Line(line)); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Line answers one request.
func Line(line []byte) any {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return answer{ID: asked.ID, Error: "the request cannot be read: " + err.Error()}
	}
	judged, err := judge(asked)
	if err != nil {
		return answer{ID: asked.ID, Error: err.Error()}
	}
	return answer{ID: asked.ID, Answer: judged}
}

// judge answers a request. A panic of kube-scheduler becomes an error of this request alone.
func judge(asked request) (judged *upstream.Answer, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			judged, err = nil, fmt.Errorf("kube-scheduler panics: %v", cause)
		}
	}()
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
