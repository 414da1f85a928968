// Tacho's load generator: k6 with an output that aggregates (`--out tacho`), a JavaScript
// module (`k6/x/tacho`) and commands of its own (`hold`, `ready`, `signal`). Its output is one JSON object per
// line on stdout.
package main

import (
	"os"

	"go.k6.io/k6/v2/cmd"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/output"
)

func init() {
	stdout := newLineWriter(os.Stdout)
	schedule := &schedule{}
	modules.Register("k6/x/tacho", newModule(schedule, stdout))
	output.RegisterExtension("tacho", func(params output.Params) (output.Output, error) {
		return newOutput(params, schedule, stdout)
	})
}

func main() {
	if len(os.Args) > 1 {
		// k6 allows extensions commands below `k6 x` only; these need nothing of k6.
		switch os.Args[1] {
		case "hold":
			os.Exit(hold())
		case "ready":
			os.Exit(ready(os.Args[2:], newLineWriter(os.Stdout)))
		case "signal":
			os.Exit(sendSignal(os.Args[2:]))
		}
	}
	cmd.Execute()
}
