// Command lictor-kube-scheduler is kube-scheduler with a plugin that asks a policy in `lictor serve`. README.md says how it is set up.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // Its own counters of its API calls.
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"

	"lictor.dev/kube-scheduler/internal/plugin"
)

func main() {
	os.Exit(cli.Run(app.NewSchedulerCommand(app.WithPlugin(plugin.Name, plugin.New))))
}
