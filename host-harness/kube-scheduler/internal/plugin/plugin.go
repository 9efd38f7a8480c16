// Package plugin forwards the extension points of kube-scheduler to a policy in `lictor serve`.
//
// The plugin decides nothing. It tells the host what happens in the cluster, asks at each point, and carries out what the host orders.
// Without the host, the pods that the policy claims wait, and all others pass.
package plugin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"lictor.dev/kube-scheduler/internal/wire"
)

// Name is that of the plugin in the configuration.
const Name = "Lictor"

// errAway says that nobody answers.
var errAway = errors.New("the policy host is not there")

// Plugin asks a policy.
type Plugin struct {
	handle fwk.Handle
	args   Args
	logger klog.Logger
	feed   *feed
	hints  *hints
	keys   *keys
	// victims are those of the plans that are carried out.
	victims *victims
	// marked are victims that another controller must delete.
	marked *marked
	claims atomic.Pointer[claims]
	// talk is the conversation in which questions are answered; nil while there is none.
	talk atomic.Pointer[talk]
	// planning are the pods that a plan is made for; nil where none is.
	planning atomic.Pointer[planning]

	lock sync.Mutex
	// reserved are the pods that hold a node, by namespace/name.
	reserved map[string]*reservation
	// ended has something in it when a reservation has ended.
	ended chan struct{}
	// open are the commands that the host may ask about.
	open open
	// underWay are the commands that are being carried out.
	underWay map[underWay]struct{}
	// requestDeadline is how long a request to the API server may take; 0: as the constant says.
	requestDeadline time.Duration
}

// talk is a conversation over one connection.
type talk struct {
	plugin *Plugin
	conn   *wire.Conn
	// numbers are those of the nodes.
	numbers atomic.Pointer[map[string]uint32]
}

// Nodes tells the numbers of new nodes.
func (t *talk) Nodes(numbers []wire.NodeNumber) {
	known := map[string]uint32{}
	if before := t.numbers.Load(); before != nil {
		for name, number := range *before {
			known[name] = number
		}
	}
	for _, node := range numbers {
		known[node.Name] = node.Number
	}
	t.numbers.Store(&known)
}

// Commands tells what is to be done.
func (t *talk) Commands(commands wire.Commands) { t.plugin.obey(t, commands) }

// New makes the plugin. It waits for the host, which says what it is to be told: kube-scheduler does not begin without.
func New(ctx context.Context, given runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	args, err := readArgs(given)
	if err != nil {
		return nil, err
	}
	p := newPlugin(ctx, args, handle)
	// Its store has what an event says before anybody hears the event.
	pods := handle.SharedInformerFactory().Core().V1().Pods().Lister()
	p.hints.isThere = func(object wire.Object) bool {
		pod, err := pods.Pods(object.Namespace).Get(object.Name)
		return err == nil && string(pod.UID) == object.UID
	}
	starting, cancel := context.WithTimeout(ctx, args.Start.Duration)
	defer cancel()
	first, err := p.dial(starting)
	if err != nil {
		return nil, fmt.Errorf("no policy host at %s: %w", args.Socket, err)
	}
	welcome := first.conn.Welcome
	p.logger.Info("Asks a policy", "host", welcome.Host, "policy", welcome.Policy, "system", welcome.System)
	if err := p.feed.follow(ctx, handle, welcome.Kinds); err != nil {
		return nil, err
	}
	go p.keep(ctx, first)
	go p.tick(ctx)
	return p, nil
}

func newPlugin(ctx context.Context, args Args, handle fwk.Handle) *Plugin {
	logger := klog.LoggerWithName(klog.FromContext(ctx), Name)
	p := &Plugin{
		handle: handle, args: args, logger: logger,
		reserved: map[string]*reservation{}, open: open{}, underWay: map[underWay]struct{}{}, ended: make(chan struct{}, 1),
		// kube-scheduler holds the lock of its queue while it asks what a change means (EventsToRegister), and Activate takes that lock.
		hints: newHints(func(pods map[string]*v1.Pod) { go handle.Activate(logger, pods) }), keys: newKeys(), victims: newVictims(), marked: newMarked(),
	}
	p.hints.victims = p.victims
	p.feed = newFeed(logger, p)
	return p
}

// tick does what is due by time alone.
func (p *Plugin) tick(ctx context.Context) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			p.hints.wakeDue()
			p.wakeAllWaiting()
			p.warnOfStanding(time.Now())
		}
	}
}

// Name is that of the plugin.
func (p *Plugin) Name() string { return Name }

// claims are what the policy reads of pods.
type claims struct{ labels, annotations []string }

// isClaimed says whether the policy is asked about a pod.
func (p *Plugin) isClaimed(pod *v1.Pod) bool {
	if p.args.Claim == claimAll {
		return true
	}
	read := p.claims.Load()
	// What the policy reads is not known: no pod passes unseen.
	if read == nil {
		return true
	}
	return has(pod.Labels, read.labels) || has(pod.Annotations, read.annotations)
}

func has(there map[string]string, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		_, ok := there[key]
		return ok || key == "*" && len(there) > 0
	})
}

// ask asks the host about a pod.
func (p *Plugin) ask(ctx context.Context, kind uint8, asked wire.Asked) (*talk, wire.Head, []byte, error) {
	talk := p.talk.Load()
	if talk == nil || !p.feed.listed.Load() {
		return nil, wire.Head{}, nil, errAway
	}
	ctx, cancel := context.WithTimeout(ctx, p.args.Deadline.Duration)
	defer cancel()
	head, rest, err := talk.conn.Ask(ctx, kind, asked)
	head.Again = p.hints.local(head.Again)
	if errors.Is(err, wire.ErrLost) {
		err = errAway
	}
	return talk, head, rest, err
}

// say tells the host about a pod, and does not wait for the answer.
func (p *Plugin) say(kind uint8, asked wire.Asked) error {
	talk := p.talk.Load()
	if talk == nil || !p.feed.listed.Load() {
		return errAway
	}
	err := talk.conn.Say(kind, asked)
	if errors.Is(err, wire.ErrLost) {
		err = errAway
	}
	return err
}

// failed is the status where there is no answer. Without a host the pod waits until there is one.
func (p *Plugin) failed(pod *v1.Pod, asked uint64, err error) *fwk.Status {
	if errors.Is(err, errAway) {
		p.hints.away(pod, asked)
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "lictor: "+err.Error()+"; the pod waits for it")
	}
	return fwk.AsStatus(fmt.Errorf("lictor: %w", err))
}

// isThere says whether a pod is there, as kube-scheduler will have heard by the event that it looks at.
func (p *Plugin) isThere(pod *v1.Pod) bool {
	return p.hints.isThere(wire.Object{Namespace: pod.Namespace, Name: pod.Name, UID: string(pod.UID)})
}

func keyOf(pod *v1.Pod) string { return pod.Namespace + "/" + pod.Name }
