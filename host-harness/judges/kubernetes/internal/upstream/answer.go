package upstream

import (
	"strings"

	fwk "k8s.io/kube-scheduler/framework"

	"lictor.dev/judges/kube/answers"
)

// Answer is what kube-scheduler decides for one pod. README.md of the folder above says what each field means.
type Answer struct {
	Untried         string                     `json:"untried,omitempty"`
	Feasible        []string                   `json:"feasible"`
	Nominated       bool                       `json:"nominated"`
	Refused         map[string]answers.Refusal `json:"refused"`
	Failed          string                     `json:"failed,omitempty"`
	Ineligible      string                     `json:"ineligible,omitempty"`
	Plans           []answers.Plan             `json:"plans"`
	Best            []string                   `json:"best"`
	KeepsNomination bool                       `json:"keepsNomination"`
	Clears          map[string][]string        `json:"clears,omitempty"`
	DryRun          map[string]string          `json:"dryRun,omitempty"`
	Group           *Group                     `json:"group,omitempty"`
	Queue           [][]string                 `json:"queue"`
}

func newAnswer() *Answer {
	return &Answer{Feasible: []string{}, Refused: map[string]answers.Refusal{}, Plans: []answers.Plan{}, Best: []string{}, Queue: [][]string{}}
}

// refusal writes why a status is no success, and nothing where it is one.
func refusal(status *fwk.Status) *answers.Refusal {
	if status.IsSuccess() {
		return nil
	}
	return &answers.Refusal{Code: status.Code().String(), Plugin: status.Plugin(), Reason: reason(status)}
}

// reason writes the reasons of a status in one line.
func reason(status *fwk.Status) string { return strings.Join(status.Reasons(), "; ") }
