// How long kube-scheduler's default preemption needs to find its victims, in the clusters of `lictor bench kubernetes-1000
// kubernetes-5000`. See ../README.md.
package main

import (
	"context"
	"fmt"

	"k8s.io/klog/v2"
	"lictor.dev/compare/report"
)

const podsPerNode = 10

// So many nodes, full of pods of 1 core.
type shape int

func (s shape) String() string { return fmt.Sprintf("kubernetes-%d", int(s)) }

type figure struct {
	Shape      string `json:"shape"`
	Nodes      int    `json:"nodes"`
	Pods       int    `json:"pods"`
	Candidates int    `json:"candidates"`
	Victims    int    `json:"victims"`
	Times      int    `json:"times"`
	// PreFilter and Filter of all plugins: no node has room.
	Filter report.Took `json:"filter"`
	// The dry run, and the choice of a node.
	Preempt report.Took `json:"preempt"`
}

func main() {
	// What it logs is not measured.
	klog.SetLogger(klog.New(nil))
	report.Program[shape, figure]{
		Name: "kube-scheduler", Module: "k8s.io/kubernetes", Times: 21,
		Shapes:  []shape{1000, 5000},
		Measure: measure,
		Heads: "| shape | nodes | pods | candidates | victims | filter: median ms | preempt: median ms | least | most |\n" +
			"|---|---|---|---|---|---|---|---|---|",
		Row: func(it figure) string {
			return fmt.Sprintf("| %s | %d | %d | %d | %d | %.2f | %.2f | %.2f | %.2f |", it.Shape, it.Nodes, it.Pods, it.Candidates,
				it.Victims, it.Filter.MedianMs, it.Preempt.MedianMs, it.Preempt.LeastMs, it.Preempt.MostMs)
		},
	}.Main()
}

// The first time is not counted: it warms up.
func measure(shape shape, times int) (figure, error) {
	nodes := int(shape)
	it := figure{Shape: shape.String(), Nodes: nodes, Pods: nodes * podsPerNode, Times: times}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	cluster, err := build(ctx, nodes)
	if err != nil {
		return it, err
	}
	for time := -1; time < times; time++ {
		attempt, err := cluster.attempt(ctx)
		if err != nil {
			return it, err
		}
		it.Candidates, it.Victims = attempt.candidates, attempt.victims
		if time >= 0 {
			it.Filter.Add(attempt.filter)
			it.Preempt.Add(attempt.preempt)
		}
	}
	return it, nil
}
