// Package judge runs one attempt of yunikorn-core to schedule a pod, and reports the decision.
package judge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Serve answers each line of input by one line of output, in order. It returns when the input ends.
func Serve(in io.Reader, out io.Writer) error {
	reader := bufio.NewReaderSize(in, 1<<20)
	writer := bufio.NewWriterSize(out, 1<<16)
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	for {
		line, err := reader.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := encoder.Encode(answerTo(line)); err != nil {
				return err
			}
			// Lines that are already in the buffer were sent without waiting for this answer.
			if reader.Buffered() == 0 {
				if err := writer.Flush(); err != nil {
					return err
				}
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return writer.Flush()
		case err != nil:
			return err
		}
	}
}

// answerTo answers one line of input. A line that cannot be answered has an answer with an error.
func answerTo(line []byte) (answer Answer) {
	var request Request
	defer func() {
		if cause := recover(); cause != nil {
			answer = Answer{Error: fmt.Sprintf("panic: %v", cause)}
		}
		answer.ID = request.ID
	}()
	var err error
	if request, err = readRequest(line); err != nil {
		request.ID = idOf(line)
		return Answer{Error: err.Error()}
	}
	decided, err := Decide(request)
	if err != nil {
		return Answer{Error: err.Error()}
	}
	return decided
}

// idOf returns the id of a request that is wrong elsewhere; empty: the line is no JSON object.
func idOf(line []byte) json.RawMessage {
	var head struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(line, &head) != nil {
		return nil
	}
	return head.ID
}
