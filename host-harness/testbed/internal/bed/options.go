package bed

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
)

// defaultControllers are those of kube-controller-manager that a cluster of stand-ins makes sense of: budgets, owners, namespaces
// and the makers of pods. The ones that judge nodes by their heartbeats are not among them: a stand-in has none.
const defaultControllers = "disruption-controller,garbage-collector-controller,namespace-controller,replicaset-controller," +
	"deployment-controller,statefulset-controller,job-controller,daemonset-controller"

// defaultUser is the user beside the administrator, who may do what RBAC binds it to: the service account of the controller.
const defaultUser = "system:serviceaccount:lictor-system:lictor"

// list is a flag that may be given more than once.
type list []string

func (l *list) String() string         { return strings.Join(*l, ",") }
func (l *list) Set(value string) error { *l = append(*l, value); return nil }

// Options say what a cluster is made of.
type Options struct {
	// Manifests are files or folders of YAML that are applied before the cluster counts as ready, CRDs first.
	Manifests list
	// SchedulerConfig is a file with a KubeSchedulerConfiguration; empty: the defaults.
	SchedulerConfig string
	// Controllers are those that kube-controller-manager runs, by name; "none" leaves it out.
	Controllers string
	// FeatureGates are given to all parts of Kubernetes.
	FeatureGates string
	// RuntimeConfig says which APIs are served that are not by default.
	RuntimeConfig string
	// User is the second user.
	User string
	// Nodes is how many nodes there are at first: node-0, node-1, ...
	Nodes int
	// CPU, Memory, Pods is what each of these has.
	CPU, Memory string
	Pods        int
	// Timeout is how long the cluster may take until it is ready.
	Timeout time.Duration
	// Folder keeps files and logs; empty: a new one that is removed at the end.
	Folder string
}

// ParseOptions reads the flags of `testbed up`.
func ParseOptions(args []string, output io.Writer) (*Options, error) {
	options := &Options{}
	flags := flag.NewFlagSet("testbed up", flag.ContinueOnError)
	flags.SetOutput(output)
	flags.Var(&options.Manifests, "manifests", "apply this file, or the YAML files of this folder; may be given more than once")
	flags.StringVar(&options.SchedulerConfig, "scheduler-config", "", "KubeSchedulerConfiguration of kube-scheduler")
	flags.StringVar(&options.Controllers, "controllers", defaultControllers, "what kube-controller-manager runs; `none` leaves it out")
	// PodGroups of Kubernetes itself: an API and a gate that are off by default.
	flags.StringVar(&options.FeatureGates, "feature-gates", "GenericWorkload=true", "gates of all parts of Kubernetes")
	flags.StringVar(&options.RuntimeConfig, "runtime-config", "scheduling.k8s.io/v1beta1=true", "APIs to serve beside the default ones")
	flags.StringVar(&options.User, "user", defaultUser, "the second user, who may do what RBAC binds it to")
	flags.IntVar(&options.Nodes, "nodes", 0, "how many nodes to create")
	flags.StringVar(&options.CPU, "node-cpu", "8", "what each of these has")
	flags.StringVar(&options.Memory, "node-memory", "32Gi", "what each of these has")
	flags.IntVar(&options.Pods, "node-pods", 110, "how many pods each of these takes")
	flags.DurationVar(&options.Timeout, "timeout", time.Minute, "how long it may take until all is ready")
	flags.StringVar(&options.Folder, "folder", "", "keep files and logs here; default: a new folder that is removed at the end")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if options.Nodes < 0 || options.Pods < 0 {
		return nil, fmt.Errorf("nodes and their pods are numbers from 0 on")
	}
	return options, nil
}
