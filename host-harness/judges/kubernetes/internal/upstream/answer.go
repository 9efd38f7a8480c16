package upstream

import (
	"strings"

	fwk "k8s.io/kube-scheduler/framework"
)

// Answer is what kube-scheduler decides for one pod. README.md of the folder above says what each field means.
type Answer struct {
	Untried         string              `json:"untried,omitempty"`
	Feasible        []string            `json:"feasible"`
	Nominated       bool                `json:"nominated"`
	Refused         map[string]Refusal  `json:"refused"`
	Failed          string              `json:"failed,omitempty"`
	Ineligible      string              `json:"ineligible,omitempty"`
	Plans           []Plan              `json:"plans"`
	Best            []string            `json:"best"`
	KeepsNomination bool                `json:"keepsNomination"`
	Clears          map[string][]string `json:"clears,omitempty"`
	DryRun          map[string]string   `json:"dryRun,omitempty"`
	Group           *Group              `json:"group,omitempty"`
}

// Refusal is why a node does not take a pod.
type Refusal struct {
	Code   string `json:"code"`
	Plugin string `json:"plugin"`
	Reason string `json:"reason"`
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
}

func newAnswer() *Answer {
	return &Answer{Feasible: []string{}, Refused: map[string]Refusal{}, Plans: []Plan{}, Best: []string{}}
}

func refusal(status *fwk.Status) Refusal {
	return Refusal{Code: status.Code().String(), Plugin: status.Plugin(), Reason: reason(status)}
}

func reason(status *fwk.Status) string { return strings.Join(status.Reasons(), "; ") }
