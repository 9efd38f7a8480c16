package plugin

import (
	"context"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"lictor.dev/kube-scheduler/internal/wire"
)

var (
	_ fwk.PreFilterPlugin     = &Plugin{}
	_ fwk.FilterPlugin        = &Plugin{}
	_ fwk.PostFilterPlugin    = &Plugin{}
	_ fwk.ReservePlugin       = &Plugin{}
	_ fwk.PermitPlugin        = &Plugin{}
	_ fwk.PreBindPlugin       = &Plugin{}
	_ fwk.PostBindPlugin      = &Plugin{}
	_ fwk.EnqueueExtensions   = &Plugin{}
	_ fwk.SignPlugin          = &Plugin{}
	_ fwk.PreFilterExtensions = none{}
)

// longestWait is what kube-scheduler allows at Permit.
const longestWait = 15 * time.Minute

// thereIsRoom is said where no plan is asked for because kube-scheduler has not heard all.
const thereIsRoom = "lictor: a pod has left or a node has come since the nodes were looked at"

// podIsGone is said of a pod that was deleted while it was tried.
const podIsGone = "lictor: the pod is gone"

// roomCame is when that is so no more.
var roomCame = wire.Again{After: []string{podRemoved, nodeUpserted}}

// cycle is what was answered in the cycle of a pod.
type cycle struct {
	codes     []byte
	scores    []byte
	obstacles []string
	numbers   map[string]uint32
	// message is why PreFilter refused the pod.
	message string
	// final: no plan helps.
	final bool
	// The policy has refused the pod for good: nothing stays promised to it.
	isVoid bool
}

func (c *cycle) Clone() fwk.StateData { return c }

func cycleOf(state fwk.CycleState) *cycle {
	data, err := state.Read(Name)
	if err != nil {
		return nil
	}
	found, _ := data.(*cycle)
	return found
}

// verdict is what the policy says of a node.
func (c *cycle) verdict(node string) *fwk.Status {
	number, ok := c.numbers[node]
	if !ok || int64(number) >= int64(len(c.codes)) {
		return fwk.NewStatus(fwk.Unschedulable, "lictor: the policy does not know the node yet")
	}
	code := int(c.codes[number])
	if code == 0 {
		return nil
	}
	if code > len(c.obstacles) {
		return fwk.NewStatus(fwk.Unschedulable, "lictor: the node is refused")
	}
	return fwk.NewStatus(fwk.Unschedulable, c.obstacles[code-1])
}

// PreFilter asks whether the pod may be tried, and which nodes take it.
func (p *Plugin) PreFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if !p.isClaimed(pod) {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	if !p.feed.ensure(pod) {
		state.Write(Name, &cycle{final: true})
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, podIsGone)
	}
	for _, victim := range p.hints.left(pod.UID) {
		p.feed.left(victim)
	}
	asked := p.hints.now()
	talk, head, bytes, err := p.ask(ctx, wire.KindTry, wire.Asked{Pod: keyOf(pod)})
	if err != nil {
		state.Write(Name, &cycle{final: true})
		return nil, p.failed(pod, asked, err)
	}
	codes, scores := apart(head, bytes)
	said := &cycle{codes: codes, scores: scores, obstacles: head.Obstacles, message: head.Message, final: head.Verdict == wire.Final, isVoid: head.Verdict == wire.Final}
	if numbers := talk.numbers.Load(); numbers != nil {
		said.numbers = *numbers
	}
	state.Write(Name, said)
	switch head.Verdict {
	case wire.Refused, wire.Final:
		p.hints.refusedInPreFilter(pod.UID, head.Verdict == wire.Final)
		p.hints.refused(pod, head.Again, asked)
		return nil, fwk.NewStatus(fwk.Unschedulable, head.Message)
	}
	p.hints.passed(pod.UID)
	for _, node := range nodes {
		if len(codes) > 0 && said.verdict(node.Node().Name) != nil {
			return nil, nil
		}
	}
	// All nodes take it.
	return nil, fwk.NewStatus(fwk.Skip)
}

// PreFilterExtensions are none of effect: the verdict of the policy is about the cluster as it is, and its plans are its own.
func (p *Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return none{} }

type none struct{}

func (none) AddPod(context.Context, fwk.CycleState, *v1.Pod, fwk.PodInfo, fwk.NodeInfo) *fwk.Status {
	return nil
}

func (none) RemovePod(context.Context, fwk.CycleState, *v1.Pod, fwk.PodInfo, fwk.NodeInfo) *fwk.Status {
	return nil
}

// Filter says what was answered before the nodes were looked at.
func (p *Plugin) Filter(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	said := cycleOf(state)
	if said == nil || len(said.codes) == 0 {
		return nil
	}
	return said.verdict(node.Node().Name)
}

// PostFilter asks for a plan. What it takes to carry it out comes as commands before the answer. A pod that the policy is not asked about
// is left to the next plugin, if there is one.
func (p *Plugin) PostFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, _ fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	if !p.isClaimed(pod) {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	if said := cycleOf(state); said != nil && said.final {
		// Why is said already: kube-scheduler puts the words of PostFilter behind those of PreFilter.
		refused := fwk.NewStatus(fwk.UnschedulableAndUnresolvable)
		if said.isVoid {
			// As where default preemption finds no candidate.
			return &fwk.PostFilterResult{NominatingInfo: &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride}}, refused
		}
		return nil, refused
	}
	if p.feed.isAhead(p.handle.SnapshotSharedLister(), pod) {
		p.hints.also(pod, roomCame, p.hints.now())
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, thereIsRoom)
	}
	key, asked := keyOf(pod), p.hints.now()
	if !p.feed.ensure(pod) {
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, podIsGone)
	}
	plan := newPlanning(pod)
	p.planning.Store(plan)
	defer p.planning.Store(nil)
	_, head, _, err := p.ask(ctx, wire.KindPostFilter, wire.Asked{Pod: key})
	if err != nil {
		return nil, p.failed(pod, asked, err)
	}
	if head.Verdict != wire.Planned {
		p.hints.also(pod, head.Again, asked)
		message := head.Message
		if said := cycleOf(state); said != nil && said.message == message {
			message = ""
		}
		// No other plugin may evict for the pod: it would do it outside of the laws.
		return withoutPlan(p.handle.SnapshotSharedLister(), pod), fwk.NewStatus(fwk.UnschedulableAndUnresolvable, message)
	}
	p.hints.planned(pod, plan.victims(pod), plan.all())
	p.announce(plan, pod)
	nominated := &fwk.NominatingInfo{NominatedNodeName: head.Node, NominatingMode: fwk.ModeOverride}
	return &fwk.PostFilterResult{NominatingInfo: nominated}, fwk.NewStatus(fwk.Success, head.Message)
}

// withoutPlan is what comes of no plan: a pod that was promised a node keeps it, unless the node is gone: nothing else
// takes that nomination back.
func withoutPlan(snapshot fwk.SharedLister, pod *v1.Pod) *fwk.PostFilterResult {
	if node := pod.Status.NominatedNodeName; node == "" || isNode(snapshot, node) {
		return nil
	}
	return &fwk.PostFilterResult{NominatingInfo: &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride}}
}

// isNode says whether there is a node of this name.
func isNode(snapshot fwk.SharedLister, name string) bool {
	node, err := snapshot.NodeInfos().Get(name)
	return err == nil && node.Node() != nil
}

// Reserve tells that the pod has a node.
func (p *Plugin) Reserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, node string) *fwk.Status {
	if !p.isClaimed(pod) {
		return nil
	}
	p.reserve(pod, node)
	asked := p.hints.now()
	// Permit comes next, and waits for its answer: where this was in vain, the host says so there.
	if err := p.say(wire.KindReserve, wire.Asked{Pod: keyOf(pod), Node: node}); err != nil {
		return p.failed(pod, asked, err)
	}
	return nil
}

// Unreserve tells that the pod has lost its node.
func (p *Plugin) Unreserve(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) {
	// That a cycle was given up is no reason not to say so.
	p.unreserve(context.WithoutCancel(ctx), pod)
}

// Permit asks whether the pod may be bound.
func (p *Plugin) Permit(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) (*fwk.Status, time.Duration) {
	if !p.isClaimed(pod) {
		return nil, 0
	}
	key, asked := keyOf(pod), p.hints.now()
	_, head, _, err := p.ask(ctx, wire.KindPermit, wire.Asked{Pod: key})
	switch {
	case err != nil:
		return p.failed(pod, asked, err), 0
	case head.Verdict == wire.Allow:
		return nil, 0
	case head.Verdict == wire.Wait:
		if p.wait(key) {
			return nil, 0
		}
		p.hints.waits(pod)
		return fwk.NewStatus(fwk.Wait, head.Message), min(time.Duration(head.Wait), longestWait)
	}
	p.hints.refused(pod, head.Again, asked)
	return fwk.NewStatus(fwk.Unschedulable, head.Message), 0
}

// PreBindPreFlight says whether something is written on the pod. kube-scheduler calls it before it waits for the end of Permit.
func (p *Plugin) PreBindPreFlight(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	p.begins(pod)
	if len(p.marks(pod)) == 0 {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	return &fwk.PreBindPreFlightResult{AllowParallel: true}, nil
}

// PreBind writes on the pod what the policy wants to be written with its node.
func (p *Plugin) PreBind(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	err := p.request(ctx, func(ctx context.Context) error {
		return writeMarks(ctx, p.handle.ClientSet(), pod.Namespace, pod.Name, string(pod.UID), p.marks(pod))
	})
	if err != nil {
		return fwk.AsStatus(err)
	}
	return nil
}

// PostBind tells that the pod was bound.
func (p *Plugin) PostBind(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) { p.bound(pod) }

// SignPod refuses: what a policy says of one pod need not hold for another one of the same shape.
func (p *Plugin) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	if p.isClaimed(pod) {
		return nil, fwk.NewStatus(fwk.Unschedulable, "lictor: the policy is asked about each pod")
	}
	return nil, nil
}
