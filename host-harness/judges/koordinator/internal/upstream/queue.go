package upstream

import (
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"lictor.dev/judges/koordinator/internal/cluster"
	"lictor.dev/judges/kube/answers"
	kube "lictor.dev/judges/kube/cluster"
)

// queue returns the pods that wait to be tried, in the order of the queue. Of a gang group, the first pod that is observed stands in it, and the
// others are taken with that one (NextPod).
func (o *one) queue(setting Setting) [][]string {
	var entries []answers.Ranked[*framework.QueuedPodInfo]
	groups := map[string]int{}
	for _, pod := range o.cluster.Pods {
		key := kube.Key(pod)
		if setting.Waiting[key] != "" || answers.Untried(pod, cluster.SchedulerName) != "" || o.gate(pod) != "" {
			continue
		}
		if gang := o.gang(pod); gang != nil {
			if at, ok := groups[gang.GangGroupInfo.GangGroupId]; ok {
				entries[at].Pods = append(entries[at].Pods, key)
				continue
			}
			groups[gang.GangGroupInfo.GangGroupId] = len(entries)
		}
		info := &framework.QueuedPodInfo{PodInfo: &framework.PodInfo{Pod: pod}, Timestamp: answers.Entered(pod, setting.Entered)}
		entries = append(entries, answers.Ranked[*framework.QueuedPodInfo]{Entry: info, Pods: []string{key}})
	}
	return answers.Ranks(entries, o.profile.QueueSortFunc())
}
