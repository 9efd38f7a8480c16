package answers

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"lictor.dev/judges/kube/cluster"
)

// Refusal is why a node, or the cluster, does not take a pod.
type Refusal struct {
	Code   string `json:"code"`
	Plugin string `json:"plugin"`
	Reason string `json:"reason"`
}

// Untried returns why the scheduler of this name makes no attempt for a pod, or nothing.
func Untried(pod *v1.Pod, scheduler string) string {
	switch {
	case pod.Spec.NodeName != "":
		return "it is bound to " + pod.Spec.NodeName
	case cluster.HasEnded(pod):
		return "it has ended"
	case pod.Spec.SchedulerName != scheduler:
		return "it belongs to the scheduler " + pod.Spec.SchedulerName
	case pod.DeletionTimestamp != nil:
		return "it is being deleted"
	}
	return ""
}

// Feasible asks `refuse` about each node, whose type depends on the version of the scheduler. It returns the names of the nodes that are not
// refused, sorted, and the refusals of the others.
func Feasible[T interface{ Node() *v1.Node }](nodes []T, refuse func(node T) *Refusal) ([]string, map[string]Refusal) {
	feasible, refused := []string{}, map[string]Refusal{}
	for _, node := range nodes {
		name := node.Node().Name
		if it := refuse(node); it != nil {
			refused[name] = *it
		} else {
			feasible = append(feasible, name)
		}
	}
	slices.Sort(feasible)
	return feasible, refused
}

// IsNominated returns whether the nominated node of a pod is feasible. It fails where the scheduler, which has chosen one node and counted the
// feasible ones, contradicts them: it looks at the nominated node alone if that is feasible.
func IsNominated(pod *v1.Pod, feasible []string, chosen string, count int) (bool, error) {
	nominated := pod.Status.NominatedNodeName
	is := slices.Contains(feasible, nominated)
	switch {
	case !slices.Contains(feasible, chosen):
		return is, fmt.Errorf("SchedulePod chooses %s, which is not among the feasible nodes %v", chosen, feasible)
	case is && chosen != nominated:
		return is, fmt.Errorf("SchedulePod chooses %s, not the nominated node %s", chosen, nominated)
	case !is && count != len(feasible):
		return is, fmt.Errorf("SchedulePod finds %d nodes feasible, not %v", count, feasible)
	}
	return is, nil
}
