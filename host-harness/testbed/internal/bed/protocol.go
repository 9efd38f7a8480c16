package bed

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"lictor.dev/testbed/internal/faults"
)

type object = *unstructured.Unstructured

// User is a user of the cluster.
type User struct {
	Name  string `json:"name"`
	Token string `json:"token"`
	// Kubeconfig is a file that reaches the API server itself, ProxyKubeconfig one that reaches it through the fault proxy.
	Kubeconfig      string `json:"kubeconfig"`
	ProxyKubeconfig string `json:"proxyKubeconfig"`
}

// Ready is the first line of output.
type Ready struct {
	// Server is where the API server listens, Proxy where the fault proxy before it does, Scheduler where kube-scheduler
	// serves its metrics.
	Server    string `json:"server"`
	Proxy     string `json:"proxy"`
	Scheduler string `json:"scheduler"`
	// CA is a file with the certificate to trust.
	CA string `json:"ca"`
	// Admin may do all, User what RBAC binds it to: nothing at first.
	Admin User `json:"admin"`
	User  User `json:"user"`
	// PIDs are the processes by part, Up is that of this command.
	PIDs map[string]int `json:"pids"`
	Up   int            `json:"up"`
	// Folder has the logs, one file a part.
	Folder string `json:"folder"`
	// Audit is the audit log: evictions, bindings and deletions of pods, one JSON event a line.
	Audit string `json:"audit"`
	// Seconds is how long it took until all was ready.
	Seconds float64 `json:"seconds"`
}

func (b *bed) ready(began time.Time) Ready {
	return Ready{
		Server: b.server(), Proxy: b.proxy.URL, Scheduler: local("https", b.at.scheduler), CA: b.folder.path("ca.crt"),
		Admin: b.users[admin], User: b.users[b.options.User],
		PIDs: b.children.pids(), Up: os.Getpid(), Folder: string(b.folder), Audit: b.folder.path("audit.log"),
		Seconds: time.Since(began).Seconds(),
	}
}

// Answer is the line that answers a command.
type Answer struct {
	OK bool `json:"ok"`
	// Error says what was wrong where it is not OK.
	Error string `json:"error,omitempty"`
	// PIDs are the processes by part, after the command.
	PIDs map[string]int `json:"pids,omitempty"`
	// Rule is the number of a new rule.
	Rule int `json:"rule,omitempty"`
	// Hits says how often each rule has failed a request.
	Hits map[string]int `json:"hits,omitempty"`
	// Closed is how many watches were closed.
	Closed *int `json:"closed,omitempty"`
}

// lines reads lines until the input closes; then the channel closes, and the function is called.
func lines(input io.Reader, closed func()) <-chan string {
	lines := make(chan string)
	go func() {
		defer closed()
		defer close(lines)
		scanner := bufio.NewScanner(input)
		for scanner.Scan() {
			lines <- scanner.Text()
		}
	}()
	return lines
}

func write(output io.Writer, line any) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = output.Write(append(text, '\n'))
	return err
}

// serve obeys commands until there are no more.
func (b *bed) serve(ctx context.Context, commands <-chan string, output io.Writer) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case line, open := <-commands:
			if !open {
				return nil
			}
			answer, err := b.obey(ctx, strings.Fields(line))
			if err != nil {
				answer.Error = err.Error()
			}
			answer.OK = err == nil
			if err := write(output, answer); err != nil {
				return err
			}
		}
	}
}

// obey carries a command out.
func (b *bed) obey(ctx context.Context, words []string) (answer Answer, err error) {
	if len(words) == 0 {
		return answer, fmt.Errorf("an empty line is no command")
	}
	switch words[0] {
	case "status":
		return Answer{PIDs: b.children.pids(), Hits: b.proxy.Hits()}, nil
	case "kill", "stop", "start", "restart", "pause", "resume":
		if len(words) != 2 {
			return answer, fmt.Errorf("%s needs the name of a part", words[0])
		}
		err = b.control(ctx, words[0], words[1])
		return Answer{PIDs: b.children.pids()}, err
	case "apply":
		return answer, b.apply(ctx, words[1:])
	case "close", "expire":
		closed := b.proxy.CloseWatches(words[0] == "expire")
		return Answer{Closed: &closed}, nil
	case "clear":
		number := 0
		if len(words) > 1 {
			if number, err = strconv.Atoi(words[1]); err != nil {
				return answer, fmt.Errorf("clear needs the number of a rule, not %q", words[1])
			}
		}
		answer.Hits, err = b.proxy.Clear(number)
		return answer, err
	}
	rule, err := faults.ParseRule(words, map[string]string{admin: b.secrets.tokens[admin], "user": b.secrets.tokens[b.options.User]})
	if err != nil {
		return answer, err
	}
	return Answer{Rule: b.proxy.Add(rule)}, nil
}

// apply applies files and folders of YAML.
func (b *bed) apply(ctx context.Context, paths []string) error {
	objects, err := readManifests(paths)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, b.options.Timeout)
	defer cancel()
	return b.applier.applyAll(ctx, objects)
}

// control starts or ends a part, or lets it stand still.
func (b *bed) control(ctx context.Context, word, part string) error {
	child, err := b.children.find(part)
	if err != nil {
		return err
	}
	switch word {
	case "kill":
		return child.end(os.Kill)
	case "stop":
		return child.end(syscall.SIGTERM)
	case "pause":
		return child.signal(syscall.SIGSTOP)
	case "resume":
		return child.signal(syscall.SIGCONT)
	case "restart":
		if err := child.end(os.Kill); err != nil {
			return err
		}
	}
	if err := child.start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, b.options.Timeout)
	defer cancel()
	return child.wait(ctx)
}
