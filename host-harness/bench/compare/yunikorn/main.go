// How long yunikorn-core needs to find the victims of a preemption, in the clusters of `lictor bench yunikorn-100 yunikorn-1000
// yunikorn-5000`. See ../README.md.
package main

import (
	"fmt"
	"strconv"

	"github.com/apache/yunikorn-core/pkg/log"
	"go.uber.org/zap"
	"lictor.dev/compare/report"
)

// A cluster of full nodes: running pods of 1 vcore, dealt in turn over nodes and queues.
type shape struct {
	name                       string
	nodes, podsPerNode, queues int
}

func (s shape) String() string { return s.name }

type figure struct {
	Shape   string `json:"shape"`
	Nodes   int    `json:"nodes"`
	Pods    int    `json:"pods"`
	Queues  int    `json:"queues"`
	Victims int    `json:"victims"`
	Times   int    `json:"times"`
	report.Took
}

func main() {
	// What it logs is not measured.
	log.InitializeLogger(zap.NewNop(), &zap.Config{Level: zap.NewAtomicLevelAt(zap.FatalLevel)})
	report.Program[shape, figure]{
		Name: "yunikorn-core", Module: "github.com/apache/yunikorn-core", Times: 5,
		Shapes:  []shape{{"yunikorn-100", 100, 10, 10}, {"yunikorn-1000", 1000, 20, 10}, {"yunikorn-5000", 5000, 20, 100}},
		Measure: measure,
		Heads:   "| shape | nodes | pods | queues | victims | median ms | least | most |\n|---|---|---|---|---|---|---|---|",
		Row: func(it figure) string {
			return fmt.Sprintf("| %s | %d | %d | %d | %d | %.1f | %.1f | %.1f |",
				it.Shape, it.Nodes, it.Pods, it.Queues, it.Victims, it.MedianMs, it.LeastMs, it.MostMs)
		},
	}.Main()
}

// The first time is not counted: it warms up.
func measure(shape shape, times int) (figure, error) {
	it := figure{Shape: shape.name, Nodes: shape.nodes, Pods: shape.nodes * shape.podsPerNode, Queues: shape.queues, Times: times}
	cluster, err := build(shape)
	if err != nil {
		return it, err
	}
	for time := -1; time < times; time++ {
		took, victims, err := cluster.preempt(strconv.Itoa(time))
		if err != nil {
			return it, err
		}
		it.Victims = victims
		if time >= 0 {
			it.Add(took)
		}
	}
	return it, nil
}
