// Tacho's load generator is k6 with an aggregating output (`--out tacho`), three JavaScript modules
// (`k6/x/tacho`, `k6/x/lines` and `k6/x/data`) and commands of its own (`hold`,
// `ready`, `signal`, `echo`, `network`). It writes one
// JSON object per line on stdout.
//
// The path of a request: module (the JavaScript module) starts sender. mix draws the requests, with
// nonce, template and sample, and module lets the script draw values of them. http1 parses the
// responses, check compares them with what is expected, and series counts them, with checks, failure
// and histogram. module passes responses to the script, which compares them. output moves the counts
// into lines. schedule is what all of them share about the load.
//
// A stock k6 script sends its requests itself. Then output takes them from k6's samples, and only
// failure, series and histogram have a part in the rest.
package main

import (
	"os"

	"go.k6.io/k6/v2/cmd"
	"go.k6.io/k6/v2/js/modules"
	k6output "go.k6.io/k6/v2/output"

	"tacho/worker/loadgen/k6/internal/command"
	"tacho/worker/loadgen/k6/internal/datafile"
	"tacho/worker/loadgen/k6/internal/jsonlines"
	"tacho/worker/loadgen/k6/internal/module"
	"tacho/worker/loadgen/k6/internal/output"
	"tacho/worker/loadgen/k6/internal/schedule"
	"tacho/worker/loadgen/k6/internal/streams"
)

func init() {
	stdout := jsonlines.NewWriter(os.Stdout)
	load := &schedule.Schedule{}
	modules.Register("k6/x/tacho", module.New(load, stdout))
	modules.Register("k6/x/lines", streams.Module{})
	modules.Register("k6/x/data", &datafile.Module{FindStart: load.FindStart})
	k6output.RegisterExtension("tacho", func(params k6output.Params) (k6output.Output, error) {
		return output.New(params, load, stdout)
	})
}

func main() {
	if len(os.Args) > 1 {
		// k6 allows extensions to add commands only below `k6 x`.
		switch os.Args[1] {
		case "hold":
			os.Exit(command.Hold())
		case "ready":
			os.Exit(command.Ready(os.Args[2:], jsonlines.NewWriter(os.Stdout)))
		case "echo":
			os.Exit(command.Echo(os.Args[2:], jsonlines.NewWriter(os.Stdout)))
		case "network":
			os.Exit(command.Network(os.Args[2:], jsonlines.NewWriter(os.Stdout)))
		case "signal":
			os.Exit(command.SendSignal(os.Args[2:]))
		}
	}
	cmd.Execute()
}
