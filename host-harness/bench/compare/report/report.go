// Package report measures shapes one after the other and prints what came of it.
package report

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"time"
)

// Took is how long something took, in milliseconds.
type Took struct {
	MedianMs float64   `json:"medianMs"`
	LeastMs  float64   `json:"leastMs"`
	MostMs   float64   `json:"mostMs"`
	Ms       []float64 `json:"ms"`
}

// Add adds one time.
func (t *Took) Add(took time.Duration) {
	t.Ms = append(t.Ms, float64(took.Microseconds())/1000)
	slices.Sort(t.Ms)
	t.LeastMs, t.MedianMs, t.MostMs = t.Ms[0], t.Ms[len(t.Ms)/2], t.Ms[len(t.Ms)-1]
}

// Program is what is measured: the module that it is made of, how often each shape is measured unless it is said, and its shapes.
type Program[S fmt.Stringer, F any] struct {
	Name, Module string
	Times        int
	Shapes       []S
	// Measure measures a shape so many times.
	Measure func(shape S, times int) (F, error)
	// Heads are those of the table.
	Heads string
	// Row is that of a shape.
	Row func(F) string
}

type figures[F any] struct {
	Program string `json:"program"`
	Version string `json:"version"`
	Go      string `json:"go"`
	Cpus    int    `json:"cpus"`
	Date    string `json:"date"`
	Shapes  []F    `json:"shapes"`
}

// Main measures all shapes and prints a table, or JSON. It ends the process where a shape cannot be measured.
func (p Program[S, F]) Main() {
	times := flag.Int("times", p.Times, "measure each shape so many times")
	asJSON := flag.Bool("json", false, "print JSON instead of a table")
	flag.Parse()
	if *times < 1 {
		fail("-times", fmt.Errorf("it is %d: say 1 or more", *times))
	}
	all := figures[F]{p.Name, version(p.Module), runtime.Version(), runtime.NumCPU(), time.Now().UTC().Format(time.DateOnly), nil}
	for _, shape := range p.Shapes {
		figure, err := p.Measure(shape, *times)
		if err != nil {
			fail(shape.String(), err)
		}
		all.Shapes = append(all.Shapes, figure)
	}
	if *asJSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(all); err != nil {
			fail("the figures", err)
		}
		return
	}
	fmt.Printf("%s %s, %s, %d cpus, %s\n\n%s\n", all.Program, all.Version, all.Go, all.Cpus, all.Date, p.Heads)
	for _, figure := range all.Shapes {
		fmt.Println(p.Row(figure))
	}
}

func fail(what string, err error) {
	fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
	os.Exit(1)
}

// The version of a module that is in this program.
func version(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, known := range info.Deps {
			if known.Path == module {
				return known.Version
			}
		}
	}
	return "unknown"
}
