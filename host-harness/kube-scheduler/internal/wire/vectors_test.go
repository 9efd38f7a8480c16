package wire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"reflect"
	"testing"
)

type vectors struct {
	Frames []struct {
		Name   string          `json:"name"`
		Kind   uint8           `json:"kind"`
		Number uint32          `json:"number"`
		Hex    string          `json:"hex"`
		JSON   json.RawMessage `json:"json"`
		Text   *string         `json:"text"`
		Head   json.RawMessage `json:"head"`
		Codes  string          `json:"codes"`
	} `json:"frames"`
	Bad []struct {
		Name string `json:"name"`
		Hex  string `json:"hex"`
	} `json:"bad"`
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	text, err := os.ReadFile("../../vectors/frames.json")
	if err != nil {
		t.Fatal(err)
	}
	var found vectors
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	return found
}

func fromHex(t *testing.T, text string) []byte {
	t.Helper()
	found, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// again reads JSON as what it is and writes it again.
func again(t *testing.T, kind uint8, payload []byte) any {
	t.Helper()
	var as any
	switch kind {
	case KindHello:
		as = &Hello{}
	case KindCommands:
		as = &Commands{}
	case KindError:
		as = &Fault{}
	case KindTry, KindPostFilter, KindReserve, KindPermit, KindUnreserve, KindKeys:
		as = &Asked{}
	default:
		as = new(any)
	}
	if err := json.Unmarshal(payload, as); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(as)
	if err != nil {
		t.Fatal(err)
	}
	return plain(t, text)
}

func plain(t *testing.T, text []byte) any {
	t.Helper()
	var found any
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestFramesAreReadAndWrittenAsTheVectorsSay(t *testing.T) {
	for _, vector := range readVectors(t).Frames {
		t.Run(vector.Name, func(t *testing.T) {
			want := fromHex(t, vector.Hex)
			frame, err := Read(bytes.NewReader(want))
			if err != nil {
				t.Fatal(err)
			}
			if frame.Kind != vector.Kind || frame.Number != vector.Number {
				t.Errorf("kind %d, number %d", frame.Kind, frame.Number)
			}
			if written, err := frame.Append(nil); err != nil || !bytes.Equal(written, want) {
				t.Errorf("written %x, %v", written, err)
			}
			if vector.JSON != nil {
				if found := again(t, frame.Kind, frame.Payload); !reflect.DeepEqual(found, plain(t, vector.JSON)) {
					t.Errorf("it says %v", found)
				}
			}
			if vector.Text != nil && string(frame.Payload) != *vector.Text {
				t.Errorf("it says %q", frame.Payload)
			}
			if vector.Head == nil {
				return
			}
			head, codes, err := ReadAnswer(frame.Payload)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(head)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(plain(t, text), plain(t, vector.Head)) || !bytes.Equal(codes, fromHex(t, vector.Codes)) {
				t.Errorf("it says %s, %v", text, codes)
			}
		})
	}
}

func TestWhatIsNoFrameIsRefused(t *testing.T) {
	for _, vector := range readVectors(t).Bad {
		if frame, err := Read(bytes.NewReader(fromHex(t, vector.Hex))); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("%s: %v, %v", vector.Name, frame, err)
		}
	}
	if _, err := Read(bytes.NewReader(nil)); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

func TestOutcomesAreWrittenAsTheVectorsSay(t *testing.T) {
	outcomes := []Outcome{{ID: 7, Accepted: true}, {ID: 8}, {ID: 9, Failed: "it is gone"}}
	text, err := json.Marshal(outcomes)
	if err != nil {
		t.Fatal(err)
	}
	for _, vector := range readVectors(t).Frames {
		if vector.Kind == KindOutcomes && !reflect.DeepEqual(plain(t, text), plain(t, vector.JSON)) {
			t.Errorf("written %s", text)
		}
		var numbers []NodeNumber
		if vector.Kind == KindNodes {
			if err := json.Unmarshal(vector.JSON, &numbers); err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(numbers, []NodeNumber{{0, "n1"}, {3, "n2"}}) {
				t.Errorf("read %v", numbers)
			}
		}
	}
}
