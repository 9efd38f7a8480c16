// Package wire speaks the protocol of PROTOCOL.md with the host.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Version is that of the protocol.
const Version = 1

// Longest is the length of the longest payload.
const Longest = 64 << 20

// The kinds of frames. An answer has the kind of its question plus Answer.
const (
	KindHello      = 1
	KindObject     = 2
	KindRemoved    = 3
	KindSynced     = 4
	KindOutcomes   = 5
	KindTry        = 16
	KindPostFilter = 17
	KindReserve    = 18
	KindPermit     = 19
	KindUnreserve  = 20
	KindKeys       = 21
	KindWelcome    = 65
	KindNodes      = 66
	KindCommands   = 67
	Answer         = 64
	KindError      = 127
)

// head is the length of what stands between the length and the payload.
const head = 5

// Frame is one of either side.
type Frame struct {
	Kind uint8
	// Number is that of the question, which its answer has, too; 0 for what is no question.
	Number  uint32
	Payload []byte
}

// Append writes the frame behind what is there.
func (f Frame) Append(to []byte) ([]byte, error) {
	if len(f.Payload) > Longest {
		return to, tooLong(len(f.Payload))
	}
	to = binary.BigEndian.AppendUint32(to, uint32(head+len(f.Payload)))
	to = append(to, f.Kind)
	to = binary.BigEndian.AppendUint32(to, f.Number)
	return append(to, f.Payload...), nil
}

// Read reads the next frame; io.EOF where the other side has ended between two.
func Read(from io.Reader) (Frame, error) {
	var start [4]byte
	if _, err := io.ReadFull(from, start[:]); err != nil {
		return Frame{}, err
	}
	length := binary.BigEndian.Uint32(start[:])
	if length < head {
		return Frame{}, fmt.Errorf("a frame has at least %d bytes, and this one %d", head, length)
	}
	if length-head > Longest {
		return Frame{}, tooLong(int(length - head))
	}
	rest := make([]byte, length)
	if _, err := io.ReadFull(from, rest); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return Frame{}, err
	}
	return Frame{Kind: rest[0], Number: binary.BigEndian.Uint32(rest[1:head]), Payload: rest[head:]}, nil
}

func tooLong(length int) error {
	return fmt.Errorf("a frame carries at most %d bytes, and this one %d", Longest, length)
}
