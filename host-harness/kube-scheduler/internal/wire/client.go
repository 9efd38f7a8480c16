package wire

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// Handler hears what the host says. Its functions are called one at a time, in the order of the frames.
type Handler interface {
	// Nodes tells the numbers of new nodes.
	Nodes(numbers []NodeNumber)
	// Commands tells what is to be done.
	Commands(commands Commands)
}

// ErrLost says that the connection was lost before the answer came.
var ErrLost = errors.New("the connection to the host was lost")

// Conn is one connection: it ends with the first fault.
type Conn struct {
	Welcome Welcome

	stream  net.Conn
	handler Handler

	lock    sync.Mutex
	some    sync.Cond
	queue   []byte
	pending map[uint32]chan Frame
	number  uint32
	ended   chan struct{}
	why     error
}

// Dial connects, and says who asks.
func Dial(ctx context.Context, path string, hello Hello, handler Handler) (*Conn, error) {
	stream, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	c := &Conn{stream: stream, handler: handler, pending: map[uint32]chan Frame{}, ended: make(chan struct{})}
	c.some.L = &c.lock
	reader := bufio.NewReaderSize(stream, 1<<16)
	if c.Welcome, err = greet(ctx, stream, reader, hello); err != nil {
		_ = stream.Close()
		return nil, err
	}
	go c.write()
	go c.read(reader)
	return c, nil
}

func greet(ctx context.Context, stream net.Conn, reader *bufio.Reader, hello Hello) (Welcome, error) {
	var welcome Welcome
	if deadline, ok := ctx.Deadline(); ok {
		if err := stream.SetDeadline(deadline); err != nil {
			return welcome, err
		}
	}
	payload, err := json.Marshal(hello)
	if err != nil {
		return welcome, err
	}
	frame, err := Frame{Kind: KindHello, Payload: payload}.Append(nil)
	if err != nil {
		return welcome, err
	}
	if _, err := stream.Write(frame); err != nil {
		return welcome, err
	}
	answer, err := Read(reader)
	if err != nil {
		return welcome, err
	}
	switch answer.Kind {
	case KindWelcome:
		err = json.Unmarshal(answer.Payload, &welcome)
	case KindError:
		err = fault(answer.Payload)
	default:
		err = fmt.Errorf("the host begins with a frame of kind %d", answer.Kind)
	}
	if err != nil {
		return welcome, err
	}
	return welcome, stream.SetDeadline(time.Time{})
}

func fault(payload []byte) error {
	var said Fault
	if err := json.Unmarshal(payload, &said); err != nil {
		return err
	}
	return errors.New(said.Message)
}

// Ended is closed when the connection has ended.
func (c *Conn) Ended() <-chan struct{} { return c.ended }

// Err says why the connection has ended.
func (c *Conn) Err() error {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.why
}

// Close ends the connection.
func (c *Conn) Close() { c.end(ErrLost) }

func (c *Conn) end(why error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.why != nil {
		return
	}
	c.why = why
	_ = c.stream.Close()
	close(c.ended)
	c.some.Broadcast()
}

// Tell says something that is not answered. What was told before is heard before.
func (c *Conn) Tell(kind uint8, payload []byte) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.append(Frame{Kind: kind, Payload: payload})
}

// append puts a frame behind those that are still to be sent. A connection that has ended takes none.
func (c *Conn) append(frame Frame) {
	if c.why != nil {
		return
	}
	// Only one that is too long is not taken: nobody makes one, and the question about it is answered in vain.
	c.queue, _ = frame.Append(c.queue)
	c.some.Signal()
}

// Say asks, and does not wait for the answer: what is asked next is answered after it.
func (c *Conn) Say(kind uint8, asked Asked) error {
	payload, err := json.Marshal(asked)
	if err != nil {
		return err
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.why != nil {
		return ErrLost
	}
	c.number++
	c.append(Frame{Kind: kind, Number: c.number, Payload: payload})
	return nil
}

// Ask asks, and waits for the answer.
func (c *Conn) Ask(ctx context.Context, kind uint8, asked Asked) (Head, []byte, error) {
	payload, err := json.Marshal(asked)
	if err != nil {
		return Head{}, nil, err
	}
	answer := make(chan Frame, 1)
	c.lock.Lock()
	if c.why != nil {
		c.lock.Unlock()
		return Head{}, nil, ErrLost
	}
	c.number++
	number := c.number
	c.pending[number] = answer
	c.append(Frame{Kind: kind, Number: number, Payload: payload})
	c.lock.Unlock()
	select {
	case frame := <-answer:
		if frame.Kind == KindError {
			return Head{}, nil, fault(frame.Payload)
		}
		if frame.Kind != kind+Answer {
			return Head{}, nil, fmt.Errorf("a question of kind %d was answered with kind %d", kind, frame.Kind)
		}
		return ReadAnswer(frame.Payload)
	case <-ctx.Done():
		err = fmt.Errorf("the host has not answered in time: %w", ctx.Err())
	case <-c.ended:
		err = ErrLost
	}
	c.lock.Lock()
	delete(c.pending, number)
	c.lock.Unlock()
	return Head{}, nil, err
}

func (c *Conn) write() {
	var batch []byte
	for {
		c.lock.Lock()
		for len(c.queue) == 0 && c.why == nil {
			c.some.Wait()
		}
		if c.why != nil {
			c.lock.Unlock()
			return
		}
		// What is written now is the room for what comes next.
		batch, c.queue = c.queue, batch[:0]
		c.lock.Unlock()
		if _, err := c.stream.Write(batch); err != nil {
			c.end(err)
			return
		}
	}
}

func (c *Conn) read(reader *bufio.Reader) {
	for {
		frame, err := Read(reader)
		if err == nil {
			err = c.take(frame)
		}
		if err != nil {
			c.end(err)
			return
		}
	}
}

func (c *Conn) take(frame Frame) error {
	switch {
	case frame.Number != 0:
		c.lock.Lock()
		answer, ok := c.pending[frame.Number]
		delete(c.pending, frame.Number)
		c.lock.Unlock()
		// An answer that nobody waits for is late.
		if ok {
			answer <- frame
		}
		return nil
	case frame.Kind == KindNodes:
		var numbers []NodeNumber
		if err := json.Unmarshal(frame.Payload, &numbers); err != nil {
			return err
		}
		c.handler.Nodes(numbers)
		return nil
	case frame.Kind == KindCommands:
		var commands Commands
		if err := json.Unmarshal(frame.Payload, &commands); err != nil {
			return err
		}
		c.handler.Commands(commands)
		return nil
	}
	return fmt.Errorf("the host sent a frame of kind %d", frame.Kind)
}
