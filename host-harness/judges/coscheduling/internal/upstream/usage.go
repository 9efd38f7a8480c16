package upstream

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"lictor.dev/judges/kube/cluster"
)

// Quota is an ElasticQuota as CapacityScheduling counts it.
type Quota struct {
	Used Amounts `json:"used"`
	Min  Amounts `json:"min"`
	Max  Amounts `json:"max"`
}

// Amounts are amounts by resource: thousandths of cpu, bytes, or numbers. What is left out is zero, but in Max, a resource other than
// cpu, memory, ephemeral-storage and pods that is left out is not bounded.
type Amounts map[v1.ResourceName]int64

func newAmounts(of *framework.Resource) Amounts {
	amounts := Amounts{
		v1.ResourceCPU: of.MilliCPU, v1.ResourceMemory: of.Memory, v1.ResourceEphemeralStorage: of.EphemeralStorage,
		v1.ResourcePods: int64(of.AllowedPodNumber),
	}
	for name, amount := range amounts {
		if amount == 0 {
			delete(amounts, name)
		}
	}
	// A zero of another resource is kept: in Max it is a bound.
	for name, amount := range of.ScalarResources {
		amounts[name] = amount
	}
	return amounts
}

// usage returns the quotas by namespace, as they are before the attempt.
func (o *one) usage() map[string]Quota {
	quotas := map[string]Quota{}
	for namespace, info := range o.quotas.infos {
		quotas[namespace] = Quota{Used: newAmounts(info.Used), Min: newAmounts(info.Min), Max: newAmounts(info.Max)}
	}
	return quotas
}

// queue returns the pods that wait to be tried, in the order of the queue. Pods came to the queue when they were created: kube-scheduler
// takes the time at which it observed them.
func (o *one) queue() []string {
	var waiting []*framework.QueuedPodInfo
	for _, pod := range o.scheduler.SchedulingQueue.PodsInActiveQ() {
		if o.setting.Waiting[cluster.Key(pod)] == "" {
			entered := pod.CreationTimestamp.Time
			waiting = append(waiting, &framework.QueuedPodInfo{
				PodInfo: &framework.PodInfo{Pod: pod}, Timestamp: entered, InitialAttemptTimestamp: &entered,
			})
		}
	}
	isBefore := o.profile.QueueSortFunc()
	// Pods of equal rank are in the order of their names, so that the answer is always the same.
	slices.SortFunc(waiting, func(a, b *framework.QueuedPodInfo) int {
		switch {
		case isBefore(a, b):
			return -1
		case isBefore(b, a):
			return 1
		}
		return cmp.Compare(cluster.Key(a.Pod), cluster.Key(b.Pod))
	})
	names := []string{}
	for _, queued := range waiting {
		names = append(names, cluster.Key(queued.Pod))
	}
	return names
}
