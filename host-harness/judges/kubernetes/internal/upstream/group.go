package upstream

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	kube "lictor.dev/judges/kube/cluster"
	"lictor.dev/judges/kubernetes/internal/cluster"
)

// Group is what kube-scheduler decides for a PodGroup as a whole.
type Group struct {
	Name string `json:"name"`
	// Outcomes are those under several orders of the nodes; the first is the one under the order of the request.
	Outcomes []*Outcome `json:"outcomes"`
}

// Outcome is how an attempt for a PodGroup ends.
type Outcome struct {
	// Placed are the nodes of the pods that are bound.
	Placed map[string]string `json:"placed"`
	// Nominated are the nominations of the other pods after the attempt.
	Nominated map[string]string `json:"nominated"`
	// Victims are the pods that are evicted, without those that leave already.
	Victims []string `json:"victims"`
	// Refused is why a pod is not bound.
	Refused map[string]string `json:"refused"`
}

func newOutcome() *Outcome {
	return &Outcome{Placed: map[string]string{}, Nominated: map[string]string{}, Victims: []string{}, Refused: map[string]string{}}
}

// turns is the number of nodes that a group is tried with as the first one, at most.
const turns = 4

// attemptGroup plays the attempt for a group with the nodes in several orders. kube-scheduler takes the first of the nodes with the
// highest score, in an order that depends on its earlier attempts (nextStartNodeIndex) and on the events that it observed.
func attemptGroup(answer *Answer, c *cluster.Cluster, group *schedulingv1beta1.PodGroup) error {
	answer.Group = &Group{Name: kube.Key(group), Outcomes: []*Outcome{}}
	for _, nodes := range nodeOrders(c.Nodes) {
		outcome, gated, err := playGroup(c.WithNodes(nodes), group)
		if err != nil {
			return err
		}
		if gated != "" {
			answer.Untried, answer.Group = "its group is gated by "+gated, nil
			return nil
		}
		if !slices.ContainsFunc(answer.Group.Outcomes, func(other *Outcome) bool { return reflect.DeepEqual(other, outcome) }) {
			answer.Group.Outcomes = append(answer.Group.Outcomes, outcome)
		}
	}
	return nil
}

// nodeOrders returns the nodes as they are first, then turned and reversed.
func nodeOrders(nodes []*v1.Node) [][]*v1.Node {
	orders := [][]*v1.Node{nodes}
	reversed := slices.Clone(nodes)
	slices.Reverse(reversed)
	for turn := range min(turns, len(nodes)) {
		for _, list := range [][]*v1.Node{nodes, reversed} {
			orders = append(orders, slices.Concat(list[turn:], list[:turn]))
		}
	}
	slices.SortStableFunc(orders[1:], func(a, b []*v1.Node) int { return slices.CompareFunc(a, b, byName) })
	return slices.CompactFunc(orders, func(a, b []*v1.Node) bool { return slices.CompareFunc(a, b, byName) == 0 })
}

func byName(a, b *v1.Node) int { return strings.Compare(a.Name, b.Name) }

// playGroup plays one attempt for a group by kube-scheduler's own cycle. It returns the plugin that gates the group where there is one.
func playGroup(c *cluster.Cluster, group *schedulingv1beta1.PodGroup) (outcome *Outcome, gated string, err error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	o, err := observe(ctx, c, group)
	if err != nil || o.gated != "" {
		return nil, o.gatedBy(), err
	}
	o.scheduler.NextEntity = func(klog.Logger) (framework.QueuedEntityInfo, error) { return o.popped, nil }
	o.scheduler.FailureHandler = o.fail
	o.scheduler.ScheduleOne(ctx)
	slices.Sort(o.outcome.Victims)
	return o.outcome, "", nil
}

func (o *one) gatedBy() string {
	if o == nil {
		return ""
	}
	return o.gated
}

// fail records why a pod is not bound, and its nomination: that of the attempt, or the one that it had.
func (o *one) fail(_ context.Context, _ framework.Framework, pod *framework.QueuedPodInfo, status *fwk.Status, nominating *fwk.NominatingInfo, _ time.Time) {
	key := kube.Key(pod.Pod)
	if o.outcome.Placed[key] != "" {
		return
	}
	o.outcome.Refused[key] = status.Message()
	node := pod.Pod.Status.NominatedNodeName
	if nominating.Mode() == fwk.ModeOverride {
		node = nominating.NominatedNodeName
	}
	if node != "" {
		o.outcome.Nominated[key] = node
	}
}
