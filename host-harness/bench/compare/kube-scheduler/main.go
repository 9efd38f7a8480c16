// How long kube-scheduler's default preemption needs to find its victims, in the clusters of `lictor bench kubernetes-1000
// kubernetes-5000`. See ../README.md.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"k8s.io/klog/v2"
)

const podsPerNode = 10

var sizes = []int{1000, 5000}

// How long one part of an attempt took, in milliseconds.
type took struct {
	MedianMs float64   `json:"medianMs"`
	LeastMs  float64   `json:"leastMs"`
	MostMs   float64   `json:"mostMs"`
	Ms       []float64 `json:"ms"`
}

type figure struct {
	Shape      string `json:"shape"`
	Nodes      int    `json:"nodes"`
	Pods       int    `json:"pods"`
	Candidates int    `json:"candidates"`
	Victims    int    `json:"victims"`
	Times      int    `json:"times"`
	// PreFilter and Filter of all plugins: no node has room.
	Filter took `json:"filter"`
	// The dry run, and the choice of a node.
	Preempt took `json:"preempt"`
}

type figures struct {
	Program string   `json:"program"`
	Version string   `json:"version"`
	Go      string   `json:"go"`
	Cpus    int      `json:"cpus"`
	Date    string   `json:"date"`
	Shapes  []figure `json:"shapes"`
}

func main() {
	times := flag.Int("times", 21, "measure each shape so many times")
	asJSON := flag.Bool("json", false, "print JSON instead of a table")
	flag.Parse()
	// What it logs is not measured.
	klog.SetLogger(klog.New(nil))
	all := figures{"kube-scheduler", version(), runtime.Version(), runtime.NumCPU(), time.Now().UTC().Format(time.DateOnly), nil}
	for _, nodes := range sizes {
		figure, err := measure(nodes, *times)
		if err != nil {
			fmt.Fprintf(os.Stderr, "kubernetes-%d: %v\n", nodes, err)
			os.Exit(1)
		}
		all.Shapes = append(all.Shapes, figure)
	}
	if err := all.print(*asJSON); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The version of Kubernetes that is in this program.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "k8s.io/kubernetes" {
				return module.Version
			}
		}
	}
	return "unknown"
}

// The first time is not counted: it warms up.
func measure(nodes, times int) (figure, error) {
	it := figure{Shape: fmt.Sprintf("kubernetes-%d", nodes), Nodes: nodes, Pods: nodes * podsPerNode, Times: times}
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
			it.Filter.Ms = append(it.Filter.Ms, float64(attempt.filter.Microseconds())/1000)
			it.Preempt.Ms = append(it.Preempt.Ms, float64(attempt.preempt.Microseconds())/1000)
		}
	}
	it.Filter.sum()
	it.Preempt.sum()
	return it, nil
}

func (t *took) sum() {
	slices.Sort(t.Ms)
	t.LeastMs, t.MedianMs, t.MostMs = t.Ms[0], t.Ms[len(t.Ms)/2], t.Ms[len(t.Ms)-1]
}

func (f figures) print(asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(f)
	}
	fmt.Printf("%s %s, %s, %d cpus, %s\n\n", f.Program, f.Version, f.Go, f.Cpus, f.Date)
	fmt.Println("| shape | nodes | pods | candidates | victims | filter: median ms | preempt: median ms | least | most |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, it := range f.Shapes {
		fmt.Printf("| %s | %d | %d | %d | %d | %.2f | %.2f | %.2f | %.2f |\n", it.Shape, it.Nodes, it.Pods, it.Candidates, it.Victims,
			it.Filter.MedianMs, it.Preempt.MedianMs, it.Preempt.LeastMs, it.Preempt.MostMs)
	}
	return nil
}
