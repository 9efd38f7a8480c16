package bed

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

// addresses are where the parts listen, all on this machine.
type addresses struct {
	etcd, peers, apiServer, scheduler, controllers int
}

// Ports from here to there are given to listeners only: systems take those of outgoing connections from above. So nobody takes the
// port of a part while it is started again.
const firstPort, lastPort = 20000, 32000

// newAddresses finds ports that are free. They are held until all are found, so that no two are the same.
func newAddresses() (addresses, error) {
	var found addresses
	for _, port := range []*int{&found.etcd, &found.peers, &found.apiServer, &found.scheduler, &found.controllers} {
		listener, err := listen()
		if err != nil {
			return found, fmt.Errorf("find a free port: %w", err)
		}
		defer func() { _ = listener.Close() }()
		*port = listener.Addr().(*net.TCPAddr).Port
	}
	return found, nil
}

// listen listens on a port that nobody listens on.
func listen() (listener net.Listener, err error) {
	for range 100 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		if listener, err = net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			return listener, nil
		}
	}
	return nil, err
}

func local(scheme string, port int) string {
	return scheme + "://127.0.0.1:" + strconv.Itoa(port)
}

// etcdArgs are the arguments of the part etcd.
func etcdArgs(folder folder, at addresses) []string {
	return []string{folder.path("etcd"), local("http", at.etcd), local("http", at.peers)}
}

// apiServerArgs are the flags of kube-apiserver.
func apiServerArgs(options *Options, folder folder, at addresses) []string {
	args := []string{
		"--etcd-servers=" + local("http", at.etcd),
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--secure-port=" + strconv.Itoa(at.apiServer),
		"--tls-cert-file=" + folder.path("server.crt"), "--tls-private-key-file=" + folder.path("server.key"),
		"--token-auth-file=" + folder.path("tokens.csv"), "--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + folder.path("accounts.key"), "--service-account-signing-key-file=" + folder.path("accounts.key"),
		"--service-cluster-ip-range=10.96.0.0/24",
		// Nodes would have to be reported ready before pods are bound, and pods would need a service account.
		"--disable-admission-plugins=TaintNodesByCondition,ServiceAccount",
		// There is one API server, on an address that no endpoint may have.
		"--endpoint-reconciler-type=none",
		"--audit-policy-file=" + folder.path("audit.yaml"), "--audit-log-path=" + folder.path("audit.log"),
		"--allow-privileged=true", "--profiling=false",
	}
	return append(args, optional(options)...)
}

// optional are flags that kube-apiserver takes only where they say something.
func optional(options *Options) []string {
	args := gates(options)
	if options.RuntimeConfig != "" {
		args = append(args, "--runtime-config="+options.RuntimeConfig)
	}
	return args
}

func gates(options *Options) []string {
	if options.FeatureGates == "" {
		return nil
	}
	return []string{"--feature-gates=" + options.FeatureGates}
}

// servingArgs are the flags with which a part serves its health and its metrics, to all on this machine.
func servingArgs(folder folder, port int) []string {
	return []string{
		"--bind-address=127.0.0.1", "--secure-port=" + strconv.Itoa(port),
		"--tls-cert-file=" + folder.path("server.crt"), "--tls-private-key-file=" + folder.path("server.key"),
		"--authentication-skip-lookup=true", "--authorization-always-allow-paths=/healthz,/readyz,/livez,/metrics",
	}
}

// schedulerArgs are the flags of kube-scheduler.
func schedulerArgs(options *Options, folder folder, at addresses, config string) []string {
	return append(append(servingArgs(folder, at.scheduler), "--config="+config), gates(options)...)
}

// controllerArgs are the flags of kube-controller-manager.
func controllerArgs(options *Options, folder folder, at addresses, kubeconfig string) []string {
	args := append(servingArgs(folder, at.controllers), "--kubeconfig="+kubeconfig, "--controllers="+options.Controllers,
		"--leader-elect=false", "--kube-api-qps=200", "--kube-api-burst=400")
	return append(args, gates(options)...)
}
