package plugin

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"lictor.dev/kube-scheduler/internal/wire"
)

var _ fwk.PodGroupPostFilterPlugin = &Plugin{}

// PodGroupPostFilter asks for a plan for a group of Kubernetes itself: for its first pod that waits, whose plan is one for all of them. A
// group that the policy is not asked about is left to the next plugin.
func (p *Plugin) PodGroupPostFilter(ctx context.Context, _ fwk.PodGroupCycleState, group fwk.PodGroupInfo, _ fwk.PodGroupSchedulingFunc) (*fwk.PodGroupPostFilterResult, *fwk.Status) {
	pods := group.GetUnscheduledPods()
	if !slices.ContainsFunc(pods, p.isClaimed) {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	// kube-scheduler asks even where PreFilter was final.
	if slices.ContainsFunc(pods, func(pod *v1.Pod) bool { return p.hints.isFinal(pod.UID) }) {
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "lictor: no preemption helps")
	}
	if p.feed.isAhead(p.handle.SnapshotSharedLister(), pods...) {
		for _, pod := range pods {
			p.hints.also(pod, roomCame, p.hints.now())
		}
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, thereIsRoom)
	}
	asked := p.hints.now()
	plan := newPlanning(pods...)
	for _, pod := range pods {
		p.feed.ensure(pod)
	}
	p.planning.Store(plan)
	defer p.planning.Store(nil)
	_, head, _, err := p.ask(ctx, wire.KindPostFilter, wire.Asked{Pod: keyOf(pods[0])})
	if err != nil {
		for _, pod := range pods {
			p.failed(pod, asked, err)
		}
		return nil, p.failed(pods[0], asked, err)
	}
	if head.Verdict != wire.Planned {
		for _, pod := range pods {
			p.hints.also(pod, head.Again, asked)
		}
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, head.Message)
	}
	victims := plan.victims(pods...)
	p.announce(plan, pods[0])
	for _, pod := range pods {
		p.hints.planned(pod, victims, plan.all())
	}
	infos := map[types.NamespacedName]*fwk.NominatingInfo{}
	for _, pod := range pods {
		if node := plan.node(keyOf(pod)); node != "" {
			infos[types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}] = &fwk.NominatingInfo{
				NominatedNodeName: node, NominatingMode: fwk.ModeOverride,
			}
		}
	}
	return &fwk.PodGroupPostFilterResult{NominatingInfos: infos}, fwk.NewStatus(fwk.Success, head.Message)
}
