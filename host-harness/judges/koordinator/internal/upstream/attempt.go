package upstream

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/koordinator-sh/koordinator/pkg/scheduler/frameworkext"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"lictor.dev/judges/koordinator/internal/cluster"
	"lictor.dev/judges/kube/answers"
	kube "lictor.dev/judges/kube/cluster"
	"lictor.dev/judges/kube/initial"
)

// plays is how often an attempt is played in which Coscheduling may preempt: it takes the pods of a gang in the order of a map.
const plays = 8

// Setting is what a request says of pods beside their objects, by namespace/name.
type Setting struct {
	// Waiting is the node of each pod that waits at Permit.
	Waiting map[string]string
	// Entered is when a pod came to the queue, in seconds since 1970.
	Entered map[string]int64
}

// Attempt plays one attempt of koord-scheduler to place a pod, given by namespace/name.
func Attempt(c *cluster.Cluster, arguments *Arguments, name string, setting Setting) (*Answer, error) {
	answer, err := play(c, arguments, name, setting)
	if err != nil || answer.PostFilter == nil || answer.PostFilter.Job == nil {
		return answer, err
	}
	known := []*PostFilter{answer.PostFilter}
	for range plays - 1 {
		again, err := play(c, arguments, name, setting)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(known, func(it *PostFilter) bool { return reflect.DeepEqual(it, again.PostFilter) }) {
			known = append(known, again.PostFilter)
		}
	}
	answer.PostFilter.Alternatives = known[1:]
	return answer, nil
}

// play plays an attempt once, by a scheduler of its own.
func play(c *cluster.Cluster, arguments *Arguments, name string, setting Setting) (*Answer, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	pod := c.Pod(name)
	if pod == nil {
		return nil, fmt.Errorf("pod %q is not among the objects", name)
	}
	o, err := observe(ctx, c, arguments)
	if err != nil {
		return nil, err
	}
	defer o.watched.close()
	answer := newAnswer()
	if answer.NotWaiting, err = o.holdAll(setting.Waiting); err != nil {
		return nil, err
	}
	answer.Quotas, answer.Queue = o.accounts(), o.queue(setting)
	if answer.Untried = untried(pod, setting.Waiting); answer.Untried != "" {
		return answer, nil
	}
	if answer.Untried = o.gate(pod); answer.Untried != "" {
		return answer, nil
	}
	return answer, o.attempt(answer, pod)
}

// untried returns why koord-scheduler makes no attempt for a pod, or nothing.
func untried(pod *v1.Pod, waiting map[string]string) string {
	if pod.Spec.NodeName == "" && waiting[kube.Key(pod)] != "" {
		return "it waits at Permit"
	}
	return answers.Untried(pod, cluster.SchedulerName)
}

// gate returns why a pod does not enter the queue, or nothing. That another pod of its gang is in the queue is no reason: the gang's other
// pods are taken together with that one (NextPod).
func (o *one) gate(pod *v1.Pod) string {
	if gang := o.gang(pod); gang != nil {
		gang.GangGroupInfo.ClearCurrentRepresentative("Judge")
	}
	for _, plugin := range o.profile.PreEnqueuePlugins() {
		if status := plugin.PreEnqueue(o.ctx, pod); !status.IsSuccess() {
			return "it is gated by " + plugin.Name() + ": " + reason(status)
		}
	}
	return ""
}

// attempt plays the scheduling cycle of a pod.
func (o *one) attempt(answer *Answer, pod *v1.Pod) error {
	state := newState(pod)
	result, err := o.scheduler.SchedulePod(o.ctx, o.profile, state, pod)
	var unfit *framework.FitError
	switch {
	case err == nil:
		if err := o.bind(answer, pod, result); err != nil {
			return err
		}
		return o.permit(answer, pod, result.SuggestedHost)
	case errors.As(err, &unfit):
		return o.postFilter(answer, pod, state, unfit)
	case errors.Is(err, scheduler.ErrNoNodesAvailable):
	default:
		answer.Failed = err.Error()
	}
	// The nomination ends (schedulingCycle in schedule_one.go).
	return nil
}

// newState makes the state of a cycle, as scheduleOne does in kube-scheduler and in FrameworkExtenderFactory.
func newState(pod *v1.Pod) *framework.CycleState {
	state := initial.State()
	frameworkext.InitDiagnosis(state, pod)
	return state
}

// bind finds all nodes that a pod may be bound to. SchedulePod names one of them; it is checked against the others.
func (o *one) bind(answer *Answer, pod *v1.Pod, chosen scheduler.ScheduleResult) error {
	state := newState(pod)
	nodes, err := o.nodes()
	if err != nil {
		return err
	}
	allowed, status := o.profile.RunPreFilterPlugins(o.ctx, state, pod)
	if !status.IsSuccess() {
		return fmt.Errorf("PreFilter refuses a pod that SchedulePod places: %w", status.AsError())
	}
	answer.Feasible, answer.Refused = answers.Feasible(nodes, func(node *framework.NodeInfo) *answers.Refusal {
		if !allowed.AllNodes() && !allowed.NodeNames.Has(node.Node().Name) {
			why := fmt.Sprintf("PreFilter allows only %v", sets.List(allowed.NodeNames))
			return &answers.Refusal{Code: framework.UnschedulableAndUnresolvable.String(), Reason: why}
		}
		return refusal(o.profile.RunFilterPluginsWithNominatedPods(o.ctx, state, pod, node))
	})
	answer.Nominated, err = answers.IsNominated(pod, answer.Feasible, chosen.SuggestedHost, chosen.FeasibleNodes)
	return err
}

// nodes returns the nodes of the snapshot, with their pods.
func (o *one) nodes() ([]*framework.NodeInfo, error) {
	return o.profile.SnapshotSharedLister().NodeInfos().List()
}
