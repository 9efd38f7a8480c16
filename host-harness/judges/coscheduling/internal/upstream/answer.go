package upstream

import (
	"strings"

	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Answer is what kube-scheduler decides for one pod. README.md of the module says what each field means.
type Answer struct {
	Untried         string              `json:"untried,omitempty"`
	Feasible        []string            `json:"feasible"`
	Nominated       bool                `json:"nominated"`
	PreFilter       *Refusal            `json:"preFilter,omitempty"`
	Refused         map[string]Refusal  `json:"refused"`
	Permit          *Permit             `json:"permit,omitempty"`
	Failed          string              `json:"failed,omitempty"`
	Ineligible      string              `json:"ineligible,omitempty"`
	Plans           []Plan              `json:"plans"`
	OtherPlans      []Plan              `json:"otherPlans,omitempty"`
	Best            []string            `json:"best"`
	KeepsNomination bool                `json:"keepsNomination"`
	Clears          map[string][]string `json:"clears,omitempty"`
	DryRun          map[string]string   `json:"dryRun,omitempty"`
	PostFilter      *PostFilter         `json:"postFilter,omitempty"`
	Quotas          map[string]Quota    `json:"quotas"`
	Queue           []string            `json:"queue"`
}

// Refusal is why a node, or the cluster, does not take a pod.
type Refusal struct {
	Code   string `json:"code"`
	Plugin string `json:"plugin"`
	Reason string `json:"reason"`
}

// Permit is what the Permit plugins say of a pod that has a node. It does not depend on the node.
type Permit struct {
	// Result is `bind`, `wait` or `refuse`.
	Result string `json:"result"`
	// Seconds is how long the pod waits before it is rejected.
	Seconds float64 `json:"seconds,omitempty"`
	Reason  string  `json:"reason,omitempty"`
	// Allowed are the pods at Permit that are let go with the pod, by namespace/name.
	Allowed []string `json:"allowed"`
	// Activated are the pods that are moved to the queue's active part, by namespace/name.
	Activated []string `json:"activated"`
}

// PostFilter is what the PostFilter of Coscheduling does. It runs where that of CapacityScheduling finds no plan, under the order of the
// request or, where each plan is uncertain, under another one.
type PostFilter struct {
	Reason string `json:"reason"`
	// Rejected are the pods at Permit that are rejected, by namespace/name.
	Rejected []string `json:"rejected"`
	// BacksOff is set where the group is refused at PreFilter for some time.
	BacksOff bool `json:"backsOff"`
}

// Set is a set of victims.
type Set struct {
	Victims []string `json:"victims"`
	// Violations is the number of victims that violate a budget.
	Violations int64 `json:"violations"`
	// Possible is set where kube-scheduler chooses this set under some order of equal victims.
	Possible bool `json:"possible"`
	rank     rank
}

// Plan is the victims on a node.
type Plan struct {
	Node string `json:"node"`
	Set
	// Alternatives are the sets of victims under other orders of equal victims.
	Alternatives []Set `json:"alternatives,omitempty"`
	// Uncertain is set where there is no plan on the node under some order of equal victims.
	Uncertain bool `json:"uncertain,omitempty"`
}

func newAnswer() *Answer {
	return &Answer{
		Feasible: []string{}, Refused: map[string]Refusal{}, Plans: []Plan{}, Best: []string{}, Quotas: map[string]Quota{}, Queue: []string{},
	}
}

func refusal(status *framework.Status) Refusal {
	return Refusal{Code: status.Code().String(), Plugin: status.Plugin(), Reason: reason(status)}
}

func reason(status *framework.Status) string { return strings.Join(status.Reasons(), "; ") }
