// Package bed starts the parts of a cluster, says when they serve, obeys commands about them, and ends them.
package bed

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"lictor.dev/testbed/internal/faults"
)

// admin is the user who may do all.
const admin = "admin"

// bed is a cluster.
type bed struct {
	options  *Options
	folder   folder
	secrets  *secrets
	at       addresses
	children children
	proxy    *faults.Proxy
	applier  *applier
	// users are those that the first line tells about.
	users map[string]User
}

// Main is the command `testbed up`; it returns the exit code.
func Main(args []string, input io.Reader, output, complaints io.Writer) int {
	if err := up(args, input, output, complaints); err != nil {
		_, _ = fmt.Fprintln(complaints, "testbed:", err)
		return 1
	}
	return 0
}

func up(args []string, input io.Reader, output, help io.Writer) (err error) {
	began := time.Now()
	options, err := ParseOptions(args, help)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	objects, err := readManifests(options.Manifests)
	if err != nil {
		return err
	}
	bed := &bed{options: options, users: map[string]User{}}
	defer bed.close()
	if err := bed.prepare(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A test may give up before the cluster is ready. What it has asked for before it closes the input is still done.
	starting, giveUp := context.WithCancel(ctx)
	defer giveUp()
	commands := lines(input, giveUp)
	if err := bed.start(starting, objects); err != nil {
		return err
	}
	if err := write(output, bed.ready(began)); err != nil {
		return err
	}
	return bed.serve(ctx, commands, output)
}

// prepare makes all that can be made before a part runs.
func (b *bed) prepare() error {
	path := b.options.Folder
	var err error
	if path == "" {
		path, err = os.MkdirTemp("", "lictor-testbed-")
	} else {
		err = os.MkdirAll(path, 0o700)
	}
	if err != nil {
		return err
	}
	b.folder = folder(path)
	if b.secrets, err = newSecrets(admin, b.options.User, schedulerUser); err != nil {
		return err
	}
	if b.at, err = newAddresses(); err != nil {
		return err
	}
	return b.folder.writeSecrets(b.secrets)
}

// server is where the API server itself listens.
func (b *bed) server() string { return local("https", b.at.apiServer) }

// start starts all parts and applies the objects; it returns when all of it serves.
func (b *bed) start(ctx context.Context, objects []object) (err error) {
	ctx, cancel := context.WithTimeout(ctx, b.options.Timeout)
	defer cancel()
	secrets := b.secrets
	if b.proxy, err = faults.Start(b.server(), secrets.authority.PEM, secrets.certificate, secrets.key); err != nil {
		return err
	}
	if err := b.plan(); err != nil {
		return err
	}
	// Each part waits for those that it needs by itself, but a part that fails at first tries again too late.
	for _, child := range b.children {
		if err := child.start(); err != nil {
			return err
		}
		if child.name == Etcd || child.name == APIServer {
			if err := child.wait(ctx); err != nil {
				return err
			}
		}
	}
	config, err := clientcmd.BuildConfigFromFlags("", b.users[admin].Kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	if b.applier, err = newApplier(config); err != nil {
		return err
	}
	if err := b.applier.applyAll(ctx, objects); err != nil {
		return err
	}
	if err := b.applier.createAll(ctx, nodes(b.options)); err != nil {
		return err
	}
	for _, child := range b.children {
		if err := child.wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// plan says which parts there are, and writes the files that they read.
func (b *bed) plan() error {
	var err error
	direct := func(user, name string) string {
		file, failed := b.folder.writeKubeconfig(name, b.server(), user, b.secrets)
		err = errors.Join(err, failed)
		return file
	}
	for user, name := range map[string]string{admin: "admin", b.options.User: "user"} {
		proxied, failed := b.folder.writeKubeconfig(name+"-proxy.kubeconfig", b.proxy.URL, user, b.secrets)
		err = errors.Join(err, failed)
		b.users[user] = User{
			Name: user, Token: b.secrets.tokens[user], Kubeconfig: direct(user, name+".kubeconfig"), ProxyKubeconfig: proxied,
		}
	}
	config, failed := b.folder.writeSchedulerConfig(b.options.SchedulerConfig, direct(schedulerUser, "scheduler.kubeconfig"))
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	kubeconfig := b.users[admin].Kubeconfig
	b.add(Etcd, etcdArgs(b.folder, b.at), b.get(local("http", b.at.etcd)+"/readyz"))
	b.add(APIServer, apiServerArgs(b.options, b.folder, b.at), b.get(b.server()+"/readyz"))
	b.add(Kubelet, []string{"--kubeconfig", kubeconfig}, nil)
	b.add(Scheduler, schedulerArgs(b.options, b.folder, b.at, config), b.get(local("https", b.at.scheduler)+"/readyz"))
	if b.options.Controllers != "none" {
		args := controllerArgs(b.options, b.folder, b.at, kubeconfig)
		b.add(ControllerManager, args, b.get(local("https", b.at.controllers)+"/healthz"))
	}
	return nil
}

func (b *bed) add(name string, args []string, ready func(context.Context) error) {
	b.children = append(b.children, &child{name: name, args: args, ready: ready, log: b.folder.path(name + ".log")})
}

// get asks whether a part answers 200 here.
func (b *bed) get(url string) func(context.Context) error {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(b.secrets.authority.PEM)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}
	client := &http.Client{Timeout: 5 * time.Second, Transport: transport}
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s answers %s", url, response.Status)
		}
		return nil
	}
}

// close ends all parts and removes the files.
func (b *bed) close() {
	b.children.endAll()
	if b.proxy != nil {
		b.proxy.Close()
	}
	if b.options.Folder == "" && b.folder != "" {
		_ = os.RemoveAll(string(b.folder))
	}
}
