module lictor.dev/judges/kube

go 1.26.0

// The lowest versions of the judges, each of which builds these packages with versions of its own.
require (
	github.com/go-logr/logr v1.2.0
	k8s.io/api v0.28.7
	k8s.io/apimachinery v0.28.7
	k8s.io/client-go v0.28.7
	k8s.io/component-helpers v0.28.7
	k8s.io/klog/v2 v2.100.1
	k8s.io/kube-scheduler v0.28.7
	k8s.io/kubernetes v1.28.7
	lictor.dev/judges/lines v0.0.0
)

replace lictor.dev/judges/lines => ../lines
