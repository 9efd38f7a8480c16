// How long yunikorn-core needs to find the victims of a preemption, in the clusters of `lictor bench yunikorn-100 yunikorn-1000
// yunikorn-5000`. See ../README.md.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/apache/yunikorn-core/pkg/log"
	"go.uber.org/zap"
)

// A cluster of full nodes: running pods of 1 vcore, dealt in turn over nodes and queues.
type shape struct {
	name                       string
	nodes, podsPerNode, queues int
}

var shapes = []shape{
	{"yunikorn-100", 100, 10, 10},
	{"yunikorn-1000", 1000, 20, 10},
	{"yunikorn-5000", 5000, 20, 100},
}

type figure struct {
	Shape    string    `json:"shape"`
	Nodes    int       `json:"nodes"`
	Pods     int       `json:"pods"`
	Queues   int       `json:"queues"`
	Victims  int       `json:"victims"`
	Times    int       `json:"times"`
	MedianMs float64   `json:"medianMs"`
	LeastMs  float64   `json:"leastMs"`
	MostMs   float64   `json:"mostMs"`
	Ms       []float64 `json:"ms"`
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
	times := flag.Int("times", 5, "measure each shape so many times")
	asJSON := flag.Bool("json", false, "print JSON instead of a table")
	flag.Parse()
	// What it logs is not measured.
	log.InitializeLogger(zap.NewNop(), &zap.Config{Level: zap.NewAtomicLevelAt(zap.FatalLevel)})
	all := figures{"yunikorn-core", version(), runtime.Version(), runtime.NumCPU(), time.Now().UTC().Format(time.DateOnly), nil}
	for _, shape := range shapes {
		figure, err := measure(shape, *times)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", shape.name, err)
			os.Exit(1)
		}
		all.Shapes = append(all.Shapes, figure)
	}
	if err := all.print(*asJSON); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The version of yunikorn-core that is in this program.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "github.com/apache/yunikorn-core" {
				return module.Version
			}
		}
	}
	return "unknown"
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
			it.Ms = append(it.Ms, float64(took.Microseconds())/1000)
		}
	}
	slices.Sort(it.Ms)
	it.LeastMs, it.MedianMs, it.MostMs = it.Ms[0], it.Ms[len(it.Ms)/2], it.Ms[len(it.Ms)-1]
	return it, nil
}

func (f figures) print(asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(f)
	}
	fmt.Printf("%s %s, %s, %d cpus, %s\n\n", f.Program, f.Version, f.Go, f.Cpus, f.Date)
	fmt.Println("| shape | nodes | pods | queues | victims | median ms | least | most |\n|---|---|---|---|---|---|---|---|")
	for _, it := range f.Shapes {
		fmt.Printf("| %s | %d | %d | %d | %d | %.1f | %.1f | %.1f |\n",
			it.Shape, it.Nodes, it.Pods, it.Queues, it.Victims, it.MedianMs, it.LeastMs, it.MostMs)
	}
	return nil
}
