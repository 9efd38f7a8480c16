package upstream

import (
	"strings"

	"k8s.io/kubernetes/pkg/scheduler/framework"

	"lictor.dev/judges/kube/answers"
)

// Answer is what kube-scheduler decides for one pod. README.md of the module says what each field means.
type Answer struct {
	Untried         string                     `json:"untried,omitempty"`
	Feasible        []string                   `json:"feasible"`
	Nominated       bool                       `json:"nominated"`
	PreFilter       *answers.Refusal           `json:"preFilter,omitempty"`
	Refused         map[string]answers.Refusal `json:"refused"`
	Permit          *Permit                    `json:"permit,omitempty"`
	Failed          string                     `json:"failed,omitempty"`
	Ineligible      string                     `json:"ineligible,omitempty"`
	Plans           []answers.Plan             `json:"plans"`
	OtherPlans      []answers.Plan             `json:"otherPlans,omitempty"`
	Best            []string                   `json:"best"`
	KeepsNomination bool                       `json:"keepsNomination"`
	Clears          map[string][]string        `json:"clears,omitempty"`
	DryRun          map[string]string          `json:"dryRun,omitempty"`
	PostFilter      *PostFilter                `json:"postFilter,omitempty"`
	Quotas          map[string]Quota           `json:"quotas"`
	Queue           []string                   `json:"queue"`
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

func newAnswer() *Answer {
	return &Answer{
		Feasible: []string{}, Refused: map[string]answers.Refusal{}, Plans: []answers.Plan{}, Best: []string{}, Quotas: map[string]Quota{}, Queue: []string{},
	}
}

// refusal writes why a status is no success, and nothing where it is one.
func refusal(status *framework.Status) *answers.Refusal {
	if status.IsSuccess() {
		return nil
	}
	return &answers.Refusal{Code: status.Code().String(), Plugin: status.Plugin(), Reason: reason(status)}
}

func reason(status *framework.Status) string { return strings.Join(status.Reasons(), "; ") }
