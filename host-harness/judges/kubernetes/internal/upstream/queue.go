package upstream

import (
	v1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"

	"lictor.dev/judges/kube/answers"
	kube "lictor.dev/judges/kube/cluster"
	"lictor.dev/judges/kubernetes/internal/cluster"
)

// queue returns the pods that wait to be tried, in the order of the queue. A PodGroup stands in it since the first of its pods came.
func queue(c *cluster.Cluster, entered map[string]int64) [][]string {
	var entries []answers.Ranked[fwk.QueuedEntityInfo]
	groups := map[*schedulingv1beta1.PodGroup]int{}
	for _, pod := range c.Pods {
		if answers.Untried(pod, v1.DefaultSchedulerName) != "" || len(pod.Spec.SchedulingGates) > 0 {
			continue
		}
		params := framework.QueueingParams{Timestamp: answers.Entered(pod, entered)}
		alone := &framework.QueuedPodInfo{PodInfo: &framework.PodInfo{Pod: pod}, QueueingParams: params}
		group := c.Group(pod)
		switch at, ok := groups[group]; {
		case group == nil && pod.Spec.SchedulingGroup != nil:
			// Its PodGroup is absent.
		case group == nil:
			entries = append(entries, answers.Ranked[fwk.QueuedEntityInfo]{Entry: alone, Pods: []string{kube.Key(pod)}})
		case !ok:
			groups[group] = len(entries)
			whole := &framework.QueuedPodGroupInfo{PodGroupInfo: &framework.PodGroupInfo{PodGroup: group}, QueueingParams: params}
			entries = append(entries, answers.Ranked[fwk.QueuedEntityInfo]{Entry: whole, Pods: []string{kube.Key(pod)}})
		default:
			entries[at].Pods = append(entries[at].Pods, kube.Key(pod))
			if whole, ok := entries[at].Entry.(*framework.QueuedPodGroupInfo); ok && params.Timestamp.Before(whole.Timestamp) {
				whole.Timestamp = params.Timestamp
			}
		}
	}
	return answers.Ranks(entries, (&queuesort.PrioritySort{}).Less)
}
