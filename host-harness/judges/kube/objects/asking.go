package objects

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"lictor.dev/judges/lines"
)

// Judge answers a line.
type Judge = func(line []byte) (any, error)

// Line writes a request as a line.
func Line(t testing.TB, request any) []byte {
	t.Helper()
	text, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Read reads the answer to a line.
func Read[R any](t testing.TB, line []byte, judge Judge) R {
	t.Helper()
	var reply R
	if err := json.Unmarshal(lines.Answer(line, judge), &reply); err != nil {
		t.Fatal(err)
	}
	return reply
}

// Answers writes lines to a judge and returns the lines that it writes.
func Answers(t testing.TB, judge Judge, asked ...[]byte) []string {
	t.Helper()
	var output bytes.Buffer
	if err := lines.Serve(bytes.NewReader(bytes.Join(asked, []byte("\n"))), &output, judge); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(output.String()), "\n")
}

// Independent checks that requests do not influence one another, and that equal requests have equal answers.
func Independent(t testing.TB, judge Judge, requests [][]byte) {
	t.Helper()
	alone := make([]string, len(requests))
	for i, request := range requests {
		alone[i] = Answers(t, judge, request)[0]
	}
	for i := range requests {
		for j := range requests {
			got := Answers(t, judge, requests[i], requests[j], requests[i], requests[i])
			if want := []string{alone[i], alone[j], alone[i], alone[i]}; !reflect.DeepEqual(got, want) {
				t.Fatalf("%d, %d: got %v, want %v", i, j, got, want)
			}
		}
	}
}
