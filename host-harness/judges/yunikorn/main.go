// Says what yunikorn-core decides for one pod of one cluster: a request is a line of JSON on standard input, its answer a line on standard
// output. See README.md.
package main

import (
	"fmt"
	"os"
	"runtime/debug"

	"lictor.dev/judges/lines"
	"lictor.dev/judges/yunikorn/internal/judge"
)

// garbage is how much the heap grows before it is collected, in percent. A request leaves nothing, so the heap stays small.
const garbage = 1600

func main() {
	debug.SetGCPercent(garbage)
	if err := lines.Serve(os.Stdin, os.Stdout, judge.AnswerLine); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
