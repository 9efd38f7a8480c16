package wire

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"path/filepath"
	"testing"
	"time"
)

type ears struct{ heard chan Commands }

func (ears) Nodes([]NodeNumber)           {}
func (e ears) Commands(commands Commands) { e.heard <- commands }

// host answers every frame as it is told to.
func host(t *testing.T, answer func(Frame) []Frame) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		stream, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = stream.Close() }()
		for {
			frame, err := Read(stream)
			if err != nil {
				return
			}
			for _, answer := range answer(frame) {
				text, _ := answer.Append(nil)
				if answer.Kind == 0 {
					return
				}
				if _, err := stream.Write(text); err != nil {
					return
				}
			}
		}
	}()
	return path
}

func welcome(frame Frame) []Frame {
	return []Frame{{Kind: KindWelcome, Number: frame.Number, Payload: []byte(`{"version":1}`)}}
}

func said(kind uint8, number uint32, head string) Frame {
	payload := append([]byte{0, 0, 0, byte(len(head))}, head...)
	return Frame{Kind: kind + Answer, Number: number, Payload: payload}
}

func dial(t *testing.T, path string, heard chan Commands) *Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	conn, err := Dial(ctx, path, Hello{Version: Version}, ears{heard})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return conn
}

func TestAnswersFindTheirQuestionsInWhateverOrderTheyCome(t *testing.T) {
	var first *Frame
	asked := make(chan struct{})
	path := host(t, func(frame Frame) []Frame {
		switch {
		case frame.Kind == KindHello:
			return welcome(frame)
		case first == nil:
			first = &frame
			close(asked)
			return nil
		}
		return []Frame{said(frame.Kind, frame.Number, `{"verdict":"wait"}`), said(first.Kind, first.Number, `{"verdict":"pass"}`)}
	})
	conn := dial(t, path, nil)
	came := make(chan string, 2)
	ask := func(kind uint8) {
		head, _, err := conn.Ask(t.Context(), kind, Asked{Pod: "default/a"})
		if err != nil {
			t.Error(err)
		}
		came <- head.Verdict
	}
	go ask(KindTry)
	<-asked
	go ask(KindPermit)
	if one, other := <-came, <-came; one == other {
		t.Errorf("%s, %s", one, other)
	}
}

func TestCommandsAreHeardBeforeTheAnswer(t *testing.T) {
	commands, _ := json.Marshal(Commands{Commands: []Order{{ID: 7, Action: Bind}}})
	path := host(t, func(frame Frame) []Frame {
		if frame.Kind == KindHello {
			return welcome(frame)
		}
		return []Frame{{Kind: KindCommands, Payload: commands}, said(frame.Kind, frame.Number, `{"verdict":"allow"}`)}
	})
	heard := make(chan Commands, 1)
	if _, _, err := dial(t, path, heard).Ask(t.Context(), KindPermit, Asked{}); err != nil {
		t.Fatal(err)
	}
	select {
	case commands := <-heard:
		if commands.Commands[0].ID != 7 {
			t.Errorf("%v", commands)
		}
	default:
		t.Error("the answer came before the commands")
	}
}

func TestAQuestionEndsWithItsDeadlineAndWithItsConnection(t *testing.T) {
	path := host(t, func(frame Frame) []Frame {
		switch frame.Kind {
		case KindHello:
			return welcome(frame)
		case KindTry:
			return nil
		}
		return []Frame{{}}
	})
	conn := dial(t, path, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, _, err := conn.Ask(ctx, KindTry, Asked{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	if _, _, err := conn.Ask(t.Context(), KindPermit, Asked{}); !errors.Is(err, ErrLost) {
		t.Errorf("%v", err)
	}
	<-conn.Ended()
	if _, _, err := conn.Ask(t.Context(), KindPermit, Asked{}); !errors.Is(err, ErrLost) {
		t.Errorf("%v", err)
	}
}

func TestAHostThatRefusesSaysWhy(t *testing.T) {
	path := host(t, func(frame Frame) []Frame {
		return []Frame{{Kind: KindError, Number: frame.Number, Payload: []byte(`{"message":"version 2 of the protocol"}`)}}
	})
	_, err := Dial(t.Context(), path, Hello{Version: 2}, ears{})
	if err == nil || err.Error() != "version 2 of the protocol" {
		t.Errorf("%v", err)
	}
}
