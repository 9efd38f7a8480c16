// Package initial has what a scheduler begins with: the profile that kube-scheduler comes with, on which each judge builds its own, and the state
// of a cycle.
package initial

import (
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// AllNodes is the share of the nodes to look at, in percent.
var AllNodes = int32(100)

// Profile returns the profile of a configuration that says nothing. It depends on the gates that are on.
func Profile() (config.KubeSchedulerProfile, error) {
	versioned, internal := &configv1.KubeSchedulerConfiguration{}, &config.KubeSchedulerConfiguration{}
	scheme.Scheme.Default(versioned)
	if err := scheme.Scheme.Convert(versioned, internal, nil); err != nil {
		return config.KubeSchedulerProfile{}, err
	}
	return internal.Profiles[0], nil
}

// State returns the state of a cycle, as kube-scheduler makes it (schedule_one.go).
func State() *framework.CycleState {
	state := framework.NewCycleState()
	state.Write(framework.PodsToActivateKey, framework.NewPodsToActivate())
	return state
}
