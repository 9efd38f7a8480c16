package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // The parts' own counters of their API calls.
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"

	"lictor.dev/testbed/internal/bed"
	"lictor.dev/testbed/internal/kubelet"
)

// parts are the child processes: what each runs with its arguments, and the exit code it ends with.
var parts = map[string]func(args []string) int{
	bed.Etcd:              func(args []string) int { return report(runEtcd(args)) },
	bed.APIServer:         func(args []string) int { return run(apiserver.NewAPIServerCommand(), args) },
	bed.Scheduler:         func(args []string) int { return run(scheduler.NewSchedulerCommand(), args) },
	bed.ControllerManager: func(args []string) int { return run(controllers.NewControllerManagerCommand(), args) },
	bed.Kubelet:           func(args []string) int { return report(kubelet.Main(args)) },
}

// run runs a command of Kubernetes as its own main function does.
func run(command *cobra.Command, args []string) int {
	command.SetArgs(args)
	return cli.Run(command)
}

// report says an error where there is one, and returns the exit code.
func report(err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, "testbed:", err)
		return 1
	}
	return 0
}
