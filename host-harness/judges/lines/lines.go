// Package lines is the loop of every judge: a request is a line of JSON on the input, its answer a line on the output, in the same order.
package lines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Serve answers each line of input by what judge returns, until the input ends. It ends with an error only where the input cannot be read
// or the output not written.
func Serve(in io.Reader, out io.Writer, judge func(line []byte) (any, error)) error {
	reader := bufio.NewReaderSize(in, 1<<20)
	writer := bufio.NewWriterSize(out, 1<<16)
	for {
		line, err := reader.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if _, err := writer.Write(append(Answer(line, judge), '\n')); err != nil {
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

// Answer returns the answer to one line: what judge returns, an object in JSON, with the `id` of the request first. A line that cannot be
// answered has an answer with an `error`, and so has one on which judge, or the scheduler that it runs, panics.
func Answer(line []byte, judge func(line []byte) (any, error)) []byte {
	id := idOf(line)
	fields, err := fieldsOf(line, judge)
	if err != nil {
		fields = encoded(map[string]string{"error": err.Error()})
	}
	answer := append([]byte(`{"id":`), id...)
	if len(fields) > len("{}") {
		answer = append(answer, ',')
	}
	return append(answer, fields[1:]...)
}

// fieldsOf returns what judge answers, as an object in JSON.
func fieldsOf(line []byte, judge func(line []byte) (any, error)) (fields []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			fields, err = nil, fmt.Errorf("panic: %v", cause)
		}
	}()
	answer, err := judge(line)
	if err != nil {
		return nil, err
	}
	return encoded(answer), nil
}

// idOf returns the id of a request, which may be wrong elsewhere; `null` where it has none.
func idOf(line []byte) []byte {
	var head struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(line, &head) != nil || len(head.ID) == 0 {
		return []byte("null")
	}
	return head.ID
}

// encoded returns a value in JSON, with characters such as `<` as they are.
func encoded(value any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // caught by fieldsOf
	}
	return bytes.TrimSpace(buffer.Bytes())
}
