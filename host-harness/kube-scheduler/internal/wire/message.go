package wire

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// Hello says who asks.
type Hello struct {
	Version    uint32   `json:"version"`
	Client     string   `json:"client"`
	Schedulers []string `json:"schedulers"`
}

// Kind is a kind of objects.
type Kind struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
	// Placed: its objects are placed on nodes like pods.
	Placed bool `json:"placed,omitempty"`
}

// Welcome says who answers, and what it is to be told.
type Welcome struct {
	Version     uint32   `json:"version"`
	Host        string   `json:"host"`
	Policy      string   `json:"policy"`
	System      string   `json:"system"`
	Points      []string `json:"points"`
	Kinds       []Kind   `json:"kinds"`
	Labels      []string `json:"labels"`
	Annotations []string `json:"annotations"`
}

// Asked is what a question names.
type Asked struct {
	Pod  string   `json:"pod,omitempty"`
	Node string   `json:"node,omitempty"`
	Pods []string `json:"pods,omitempty"`
}

// Again says when an answer may be another.
type Again struct {
	// At is a moment, in nanoseconds since 1970.
	At *int64 `json:"at,omitempty"`
	// Wait is the same in nanoseconds from the answer on: the clocks of both sides may differ.
	Wait *int64 `json:"wait,omitempty"`
	// After are kinds of change, such as pod-removed; none: any.
	After []string `json:"after,omitempty"`
}

// What an answer says.
const (
	Pass    = "pass"
	Refused = "refused"
	Final   = "final"
	Planned = "planned"
	Allow   = "allow"
	Wait    = "wait"
	Reject  = "reject"
)

// Head is an answer. That to a try has the bytes of the nodes after it.
type Head struct {
	Verdict   string   `json:"verdict,omitempty"`
	Message   string   `json:"message,omitempty"`
	Node      string   `json:"node,omitempty"`
	Wait      int64    `json:"wait,omitempty"`
	Obstacles []string `json:"obstacles,omitempty"`
	// Scores: so many of the bytes, at their end, are scores.
	Scores int         `json:"scores,omitempty"`
	Again  Again       `json:"again,omitzero"`
	Epoch  uint64      `json:"epoch,omitempty"`
	Keys   [][2]string `json:"keys,omitempty"`
}

// Object names an object.
type Object struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

// Mark is a label or an annotation.
type Mark struct {
	Place string `json:"place"`
	Key   string `json:"key"`
	Value string `json:"value"`
}

// What is to be done with an object.
const (
	Bind     = "bind"
	Nominate = "nominate"
	Evict    = "evict"
	Confirm  = "confirm"
)

// Order is a command.
type Order struct {
	ID     uint64 `json:"id"`
	Action string `json:"action"`
	Object Object `json:"object"`
	Node   string `json:"node,omitempty"`
	Delete bool   `json:"delete,omitempty"`
	Plan   uint64 `json:"plan,omitempty"`
	Marks  []Mark `json:"marks,omitempty"`
}

// Loss is a pod that has lost the node that was reserved for it.
type Loss struct {
	Pod   string `json:"pod"`
	Cause string `json:"cause"`
}

// Commands are what is to be done.
type Commands struct {
	Commands []Order `json:"commands,omitempty"`
	Released []Loss  `json:"released,omitempty"`
	// Anew: another policy decides from now on, and what was said of refused pods is void.
	Anew bool `json:"anew,omitempty"`
}

// Fault says why there is no answer.
type Fault struct {
	Message string `json:"message"`
}

// Outcome is what became of a command: its number, and "accepted", "done" or {"failed": "why"}.
type Outcome struct {
	ID uint64
	// Failed says why it was not carried out; empty: it was.
	Failed string
	// Accepted: the cluster took it, and objects may still come that do not show it.
	Accepted bool
}

// MarshalJSON writes the pair that the protocol has.
func (o Outcome) MarshalJSON() ([]byte, error) {
	var what any = "done"
	if o.Accepted {
		what = "accepted"
	}
	if o.Failed != "" {
		what = map[string]string{"failed": o.Failed}
	}
	return json.Marshal([]any{o.ID, what})
}

// NodeNumber is a node and its number.
type NodeNumber struct {
	Number uint32
	Name   string
}

// UnmarshalJSON reads the pair that the protocol has.
func (n *NodeNumber) UnmarshalJSON(text []byte) error {
	pair := []any{&n.Number, &n.Name}
	if err := json.Unmarshal(text, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return fmt.Errorf("a number and a name, not %d values", len(pair))
	}
	return nil
}

// ReadAnswer takes an answer apart: its head, and the bytes of the nodes.
func ReadAnswer(payload []byte) (Head, []byte, error) {
	var said Head
	if len(payload) < 4 {
		return said, nil, errors.New("an answer that is cut")
	}
	length := uint64(binary.BigEndian.Uint32(payload))
	if length > uint64(len(payload)-4) {
		return said, nil, errors.New("an answer whose head is cut")
	}
	rest := payload[4:]
	err := json.Unmarshal(rest[:length], &said)
	return said, rest[length:], err
}
