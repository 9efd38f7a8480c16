package bed

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Names of the parts, each of which is a child process of its own.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	Scheduler         = "kube-scheduler"
	ControllerManager = "kube-controller-manager"
	Kubelet           = "kubelet"
)

// EndWithParent ends this process when its standard input closes, which it does when the process that started it is gone.
func EndWithParent() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
}

// child is a part: how to start it, and the process while there is one.
type child struct {
	name string
	args []string
	// ready says whether the part serves; nil: it has no way to tell.
	ready func(context.Context) error
	log   string

	lock    sync.Mutex
	process *os.Process
	// ended is closed when the process is gone.
	ended chan struct{}
	// hold is the other end of its standard input.
	hold io.Closer
}

// start starts the process; its output goes to a log file, after that of earlier processes.
func (c *child) start() error {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.process != nil {
		return fmt.Errorf("%s runs already", c.name)
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	output, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = output.Close() }()
	command := exec.Command(program, append([]string{c.name}, c.args...)...)
	command.Stdout, command.Stderr = output, output
	// A Ctrl-C at the terminal is for the parent, which ends its children in order.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	hold, err := command.StdinPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("start %s: %w", c.name, err)
	}
	ended := make(chan struct{})
	c.process, c.hold, c.ended = command.Process, hold, ended
	go func() {
		_ = command.Wait() // How it ended stands in its log.
		c.lock.Lock()
		c.process = nil
		c.lock.Unlock()
		close(ended)
	}()
	return nil
}

// end sends the process a signal and waits until it is gone.
func (c *child) end(signal os.Signal) error {
	process, ended := c.running()
	if process == nil {
		return fmt.Errorf("%s does not run", c.name)
	}
	if err := process.Signal(signal); err != nil {
		return fmt.Errorf("end %s: %w", c.name, err)
	}
	<-ended
	_ = c.hold.Close()
	return nil
}

// signal sends the process a signal.
func (c *child) signal(signal os.Signal) error {
	process, _ := c.running()
	if process == nil {
		return fmt.Errorf("%s does not run", c.name)
	}
	return process.Signal(signal)
}

func (c *child) running() (*os.Process, <-chan struct{}) {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.process, c.ended
}

// pid is the number of the process, 0 while there is none.
func (c *child) pid() int {
	if process, _ := c.running(); process != nil {
		return process.Pid
	}
	return 0
}

// wait waits until the part serves. A part that has ended never will.
func (c *child) wait(ctx context.Context) error {
	if c.ready == nil {
		return nil
	}
	for {
		err := c.ready(ctx)
		if err == nil {
			return nil
		}
		_, ended := c.running()
		select {
		case <-ended:
			return fmt.Errorf("%s has ended: %s", c.name, c.lastWords())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w; its log: %s", c.name, err, c.lastWords())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// lastWords is the end of the log.
func (c *child) lastWords() string {
	text, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-1500):])
}

// children are the parts by name, in the order in which they start.
type children []*child

func (c children) find(name string) (*child, error) {
	at := slices.IndexFunc(c, func(child *child) bool { return child.name == name })
	if at < 0 {
		return nil, fmt.Errorf("there is no part %q", name)
	}
	return c[at], nil
}

// pids are the numbers of the processes that run.
func (c children) pids() map[string]int {
	pids := map[string]int{}
	for _, child := range c {
		if pid := child.pid(); pid != 0 {
			pids[child.name] = pid
		}
	}
	return pids
}

// endAll ends all processes, the last one first.
func (c children) endAll() {
	for _, child := range slices.Backward(c) {
		if child.pid() != 0 {
			_ = child.end(os.Kill) // Gone already: that is what is wanted.
		}
	}
}
