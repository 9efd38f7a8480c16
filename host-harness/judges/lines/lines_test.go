package lines

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestEveryLineHasOneAnswerInOrder(t *testing.T) {
	judge := func(line []byte) (any, error) {
		switch {
		case bytes.Contains(line, []byte("wrong")):
			return nil, errors.New("it is <wrong>")
		case bytes.Contains(line, []byte("panic")):
			panic("no memory")
		case bytes.Contains(line, []byte("channel")):
			return make(chan int), nil
		case bytes.Contains(line, []byte("nothing")):
			return struct{}{}, nil
		}
		return map[string]string{"result": "<bound>"}, nil
	}
	input := []string{`{"id":1}`, ``, `{"id":"a","what":"wrong"}`, `{"what":"panic"}`, `{"id":4,"what":"nothing"}`, `{"id":5,"what":"channel"}`, `{"id":6`}
	want := []string{
		`{"id":1,"result":"<bound>"}`,
		`{"id":"a","error":"it is <wrong>"}`,
		`{"id":null,"error":"panic: no memory"}`,
		`{"id":4}`,
		`{"id":5,"error":"panic: json: unsupported type: chan int"}`,
		`{"id":null,"result":"<bound>"}`,
	}
	var output bytes.Buffer
	if err := Serve(strings.NewReader(strings.Join(input, "\n")), &output, judge); err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(strings.TrimSuffix(output.String(), "\n"), "\n"); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", output.String())
	}
}
