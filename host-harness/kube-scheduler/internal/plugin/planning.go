package plugin

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"

	"lictor.dev/kube-scheduler/internal/wire"
)

// fewNames is how many victims an event names.
const fewNames = 8

// planning are pods that a plan is made for, and where it puts them: kube-scheduler itself writes their nominations.
type planning struct {
	lock  sync.Mutex
	nodes map[string]string
	// evicted are the victims of the plan, by node.
	evicted map[string][]wire.Object
}

func newPlanning(pods ...*v1.Pod) *planning {
	plan := &planning{nodes: map[string]string{}, evicted: map[string][]wire.Object{}}
	for _, pod := range pods {
		plan.nodes[keyOf(pod)] = ""
	}
	return plan
}

// takes says whether kube-scheduler writes the nomination of a pod.
func (p *planning) takes(pod, node string) bool {
	if p == nil || node == "" {
		return false
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	_, ok := p.nodes[pod]
	if ok {
		p.nodes[pod] = node
	}
	return ok
}

// evicts keeps a victim, and the node that it leaves.
func (p *planning) evicts(victim wire.Object, node string) {
	if p == nil {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	p.evicted[node] = append(p.evicted[node], victim)
}

func (p *planning) node(pod string) string {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.nodes[pod]
}

// named names the victims, the first ones where there are many, for people.
func (p *planning) named() string {
	p.lock.Lock()
	defer p.lock.Unlock()
	var names []string
	for _, node := range slices.Sorted(maps.Keys(p.evicted)) {
		for _, victim := range p.evicted[node] {
			names = append(names, victim.Namespace+"/"+victim.Name+" on "+node)
		}
	}
	if rest := len(names) - fewNames; rest > 0 {
		names = append(names[:fewNames], fmt.Sprintf("%d more", rest))
	}
	return strings.Join(names, ", ")
}

// all are the victims of the plan, on whatever nodes.
func (p *planning) all() []wire.Object {
	p.lock.Lock()
	defer p.lock.Unlock()
	var found []wire.Object
	for _, node := range slices.Sorted(maps.Keys(p.evicted)) {
		found = append(found, p.evicted[node]...)
	}
	return found
}

// victims are those that leave the nodes of these pods.
func (p *planning) victims(pods ...*v1.Pod) []wire.Object {
	p.lock.Lock()
	defer p.lock.Unlock()
	var found []wire.Object
	seen := map[string]bool{}
	for _, pod := range pods {
		node := p.nodes[keyOf(pod)]
		if !seen[node] {
			found = append(found, p.evicted[node]...)
		}
		seen[node] = true
	}
	return found
}
