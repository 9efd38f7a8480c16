package answers

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"lictor.dev/judges/kube/cluster"
)

// Ranked is what stands in a queue, with the pods that are tried in its turn.
type Ranked[E any] struct {
	Entry E
	Pods  []string
}

// Ranks returns pods in the order in which a queue gives them out. Pods of one rank come in any order.
func Ranks[E any](entries []Ranked[E], isBefore func(a, b E) bool) [][]string {
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b Ranked[E]) int {
		switch {
		case isBefore(a.Entry, b.Entry):
			return -1
		case isBefore(b.Entry, a.Entry):
			return 1
		}
		return 0
	})
	ranks := [][]string{}
	for i, entry := range entries {
		if i == 0 || isBefore(entries[i-1].Entry, entry.Entry) {
			ranks = append(ranks, nil)
		}
		ranks[len(ranks)-1] = append(ranks[len(ranks)-1], entry.Pods...)
	}
	for _, pods := range ranks {
		slices.Sort(pods)
	}
	return ranks
}

// Entered returns when a pod came to the queue, given in seconds since 1970 by namespace/name; else when it was created.
func Entered(pod *v1.Pod, entered map[string]int64) time.Time {
	if seconds, ok := entered[cluster.Key(pod)]; ok {
		return time.Unix(seconds, 0)
	}
	return pod.CreationTimestamp.Time
}
