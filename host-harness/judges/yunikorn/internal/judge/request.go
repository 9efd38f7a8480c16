package judge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A Request asks for the decision about one pod.
type Request struct {
	ID json.RawMessage `json:"id"`
	// Now is the time of the attempt.
	Now time.Time `json:"now"`
	// Objects are the cluster, as Kubernetes writes it. Kinds that the judge does not read are ignored.
	Objects   []json.RawMessage `json:"objects"`
	Arguments Arguments         `json:"arguments"`
	// Pod is the namespace and the name of the pod. Empty: which pods queues evict that are over their maximum.
	Pod string `json:"pod"`
	// Entered are the seconds since 1970 at which pods came to the scheduler, by namespace and name.
	Entered map[string]float64 `json:"entered"`
	// Order are pods in the order in which the scheduler saw them, by namespace and name. Others come after them.
	Order []string `json:"order"`
	// WithoutOriginator are the applications whose originator is gone: none of their other pods becomes one.
	WithoutOriginator []string `json:"withoutOriginator"`
}

// Arguments change how the core is run. The zero value is how most requests want it.
type Arguments struct {
	// Schedulers are the schedulerNames whose pods the core schedules. Empty: yunikorn.
	Schedulers []string `json:"schedulers"`
	// Alternatives is in how many other orders of equals the decision is made again.
	Alternatives int `json:"alternatives"`
	// Reserve lets an ask of two seconds reserve a node without preemption, as the core does unless DISABLE_RESERVATION is set.
	Reserve bool `json:"reserve"`
	// Retry lets a pod preempt that is nominated already. The core lets it do so once only.
	Retry bool `json:"retry"`
	// Queue asks for the order in which the core tries the pending pods, in place of a decision.
	Queue bool `json:"queue"`
	// Candidates asks for the pods that the core may evict for the pod, too.
	Candidates bool `json:"candidates"`
}

// The results of an attempt.
const (
	resultBound    = "bound"
	resultPreempts = "preempts"
	resultReserves = "reserves"
	resultNothing  = "nothing"
	resultRefused  = "refused"
)

// A Decision is what one attempt ends with.
type Decision struct {
	Result string `json:"result,omitempty"`
	// Node is where the pod is bound, or the node that is reserved for it.
	Node string `json:"node,omitempty"`
	// Victims are the pods that are evicted, sorted by namespace and name.
	Victims []string `json:"victims,omitempty"`
}

// An Answer is the decision, and the state of the cluster that it was made in.
type Answer struct {
	Decision
	// Why is what the core logged for the pod, or why its application was refused.
	Why string `json:"why,omitempty"`
	// LegalNodes are all nodes on which the pod could be bound, for a pod that is bound.
	LegalNodes []string `json:"legalNodes,omitempty"`
	// Alternatives are other decisions that the core could make, in another order of equals.
	Alternatives []Decision `json:"alternatives,omitempty"`
	// Candidates are the pods that the core evicts for the pod where nothing but that pod is in question.
	Candidates []string `json:"candidates,omitempty"`
	// Queues are the orders in which the core may try the pending pods: equal queues come in any order.
	Queues [][]string `json:"queues,omitempty"`
	// NotJudged is what the pod or the cluster asks for that the judge does not look at. Nothing else is there then.
	NotJudged string `json:"notJudged,omitempty"`
	// Unreserved are nominated pods for which the core keeps no node: it reserves a node for one pod.
	Unreserved []string `json:"unreserved,omitempty"`
	// Free is what nodes have left, before the attempt.
	Free map[string]Amounts `json:"free,omitempty"`
	// Usage, Max, Guaranteed and Preemptable are amounts by the path of the queue, before the attempt. The maximum of the root is the cluster.
	Usage       map[string]Amounts `json:"usage,omitempty"`
	Max         map[string]Amounts `json:"max,omitempty"`
	Guaranteed  map[string]Amounts `json:"guaranteed,omitempty"`
	Preemptable map[string]Amounts `json:"preemptable,omitempty"`
	// Pods are the pods of the core, by namespace and name, before the attempt.
	Pods map[string]Known `json:"pods,omitempty"`
}

// Known is what the core knows of a pod.
type Known struct {
	App string `json:"app"`
	// Queue is the path of its leaf.
	Queue    string  `json:"queue"`
	Uses     Amounts `json:"uses"`
	Priority int32   `json:"priority"`
	// OptedOut: it asks not to be preempted.
	OptedOut     bool `json:"optedOut,omitempty"`
	IsOriginator bool `json:"originator,omitempty"`
	// Required is the node of a DaemonSet pod.
	Required string `json:"required,omitempty"`
}

// Amounts are quantities by the core's name of the resource: vcore in thousandths, memory in bytes.
type Amounts map[string]int64

func readRequest(line []byte) (Request, error) {
	var request Request
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&request); err != nil {
		return request, fmt.Errorf("the request: %w", err)
	}
	if request.Now.IsZero() {
		return request, fmt.Errorf("the request has no `now`")
	}
	return request, nil
}

// String writes amounts in the order of their names.
func (a Amounts) String() string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(a)) {
		fmt.Fprintf(&text, "%s %d, ", name, a[name])
	}
	return text.String()
}
