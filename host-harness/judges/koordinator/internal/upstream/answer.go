package upstream

import (
	"regexp"
	"slices"
	"strings"

	"k8s.io/kubernetes/pkg/scheduler/framework"

	"lictor.dev/judges/kube/answers"
)

// Answer is what koord-scheduler decides for one pod. README.md of this module says what each field means.
type Answer struct {
	Untried         string                     `json:"untried,omitempty"`
	NotWaiting      map[string]string          `json:"notWaiting,omitempty"`
	Feasible        []string                   `json:"feasible"`
	Nominated       bool                       `json:"nominated"`
	PreFilter       *answers.Refusal           `json:"preFilter,omitempty"`
	Refused         map[string]answers.Refusal `json:"refused"`
	Failed          string                     `json:"failed,omitempty"`
	Preemptor       string                     `json:"preemptor,omitempty"`
	Ineligible      string                     `json:"ineligible,omitempty"`
	Plans           []answers.Plan             `json:"plans"`
	Best            []string                   `json:"best"`
	KeepsNomination bool                       `json:"keepsNomination"`
	Clears          map[string][]string        `json:"clears,omitempty"`
	DryRun          map[string]string          `json:"dryRun,omitempty"`
	PostFilter      *PostFilter                `json:"postFilter,omitempty"`
	Permit          *Permit                    `json:"permit,omitempty"`
	Quotas          map[string]Quota           `json:"quotas"`
	Queue           [][]string                 `json:"queue"`
}

// PostFilter is what the PostFilter plugins did beside the eviction of a plan.
type PostFilter struct {
	// Reason is why they found no node.
	Reason string `json:"reason,omitempty"`
	// Rejected has the reason by pod that waited at Permit, without the victims of the plan.
	Rejected map[string]string `json:"rejected"`
	Job      *Job              `json:"job,omitempty"`
	// Alternatives are what else came of it when the attempt was played again: Coscheduling takes pods in the order of a map.
	Alternatives []*PostFilter `json:"alternatives,omitempty"`
}

// Job is the preemption of Coscheduling, for all pending pods of a gang group.
type Job struct {
	// Preempts is set where it found a node for each pod; otherwise Reason says why not.
	Preempts bool   `json:"preempts"`
	Reason   string `json:"reason,omitempty"`
	// Nodes has the nominated node by pod.
	Nodes   map[string]string `json:"nodes,omitempty"`
	Victims []string          `json:"victims,omitempty"`
}

// Permit is what becomes of a pod that has a node.
type Permit struct {
	// Result is `bind`, `wait` or `refused`.
	Result string `json:"result"`
	Reason string `json:"reason,omitempty"`
	// Seconds is how long the pod waits, at most.
	Seconds float64 `json:"seconds,omitempty"`
	// Released are the pods at Permit that are let go together with the pod.
	Released []string `json:"released"`
}

func newAnswer() *Answer {
	return &Answer{Feasible: []string{}, Refused: map[string]answers.Refusal{}, Plans: []answers.Plan{}, Best: []string{}, Queue: [][]string{}}
}

// refusal writes why a status is no success, and nothing where it is one.
func refusal(status *framework.Status) *answers.Refusal {
	if status.IsSuccess() {
		return nil
	}
	return &answers.Refusal{Code: status.Code().String(), Plugin: status.FailedPlugin(), Reason: reason(status)}
}

// exceeded is the list of resources at the end of a reason of ElasticQuota.
var exceeded = regexp.MustCompile(`exceedDimensions: \[[^\]]*`)

// reason returns why a status is what it is; nothing of success, which may be nil. Resources that do not suffice, and those that a quota
// exceeds, come in the order of a map upstream, and are sorted here.
func reason(status *framework.Status) string {
	if status.IsSuccess() {
		return ""
	}
	text := strings.Join(slices.Sorted(slices.Values(status.Reasons())), "; ")
	return exceeded.ReplaceAllStringFunc(text, func(list string) string {
		label, names, _ := strings.Cut(list, "[")
		words := strings.Fields(names)
		slices.Sort(words)
		return label + "[" + strings.Join(words, " ")
	})
}
