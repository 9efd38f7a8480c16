package judge

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// An order breaks the ties of the core: among nodes that are equally good, and among pods that were created in the same second. Order 0
// prefers the first name, order 1 the last one, and others mix names by a hash.
type order int

func (o order) compare(a, b string) int {
	switch o {
	case 0:
		return strings.Compare(a, b)
	case 1:
		return strings.Compare(b, a)
	}
	return cmp.Or(cmp.Compare(o.mixed(a), o.mixed(b)), strings.Compare(a, b))
}

func (o order) mixed(name string) uint64 {
	hash := fnv.New64a()
	fmt.Fprintf(hash, "%d %s", o, name)
	return hash.Sum64()
}

// nodeIDs returns names for nodes that sort in this order, by the name of the node.
func (o order) nodeIDs(nodes []*v1.Node) map[string]string {
	names := make([]string, len(nodes))
	for at, node := range nodes {
		names[at] = node.Name
	}
	slices.SortFunc(names, o.compare)
	ids := make(map[string]string, len(names))
	for at, name := range names {
		ids[name] = fmt.Sprintf("%08d", at)
	}
	return ids
}

const (
	// The core compares times of creation only with each other, and with the time of day. It evicts the youngest pods first.
	longAgo       = 1
	firstCreated  = 1_000_000
	inTheFarAfter = 1 << 33
)

// created returns times of creation that differ from pod to pod, so that the order of maps in the core decides nothing.
func (o order) created(pods []*pod) func(*pod) int64 {
	sorted := slices.Clone(pods)
	slices.SortFunc(sorted, func(a, b *pod) int {
		// Of equal ones, the preferred victim is the youngest.
		return cmp.Or(cmp.Compare(a.created, b.created), o.compare(b.key, a.key))
	})
	ranks := make(map[*pod]int64, len(sorted))
	for rank, p := range sorted {
		ranks[p] = firstCreated + int64(rank)
	}
	return func(p *pod) int64 { return ranks[p] }
}
