package upstream

import (
	"fmt"
	"slices"

	"github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/coscheduling/core"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/coscheduling/util"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"lictor.dev/judges/kube/cluster"
)

// gang returns what is known of the gang that a pod names, or nil.
func (o *one) gang(pod *v1.Pod) *core.GangSummary {
	name := util.GetGangNameByPod(pod)
	if name == "" {
		return nil
	}
	gang, _ := o.gangs.GetGangSummary(util.GetId(pod.Namespace, name))
	return gang
}

// hold plays the end of a scheduling cycle: it assumes a pod on a node, counts it in its quota, and asks Permit.
func (o *one) hold(pod *v1.Pod, node string) (*framework.Status, error) {
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = node
	if assumed.Status.StartTime == nil {
		// As for bound pods, see completePod of package cluster.
		assumed.Status.StartTime = &o.cluster.Later
	}
	if err := o.scheduler.Cache.AssumePod(klog.FromContext(o.ctx), assumed); err != nil {
		return nil, err
	}
	o.profile.DeleteNominatedPodIfExists(assumed)
	state := newState(assumed)
	// Of the plugins that reserve, the others reserve volumes, which Permit does not ask for.
	if status := o.quota.Reserve(o.ctx, state, assumed, node); !status.IsSuccess() {
		return nil, status.AsError()
	}
	return o.profile.RunPermitPlugins(o.ctx, state, assumed, node), nil
}

// holdAll has pods wait at Permit, in the order in which the scheduler observes them. It returns what becomes of those that upstream does
// not have wait: they keep their nodes, as pods that are about to be bound, but are no longer at Permit.
func (o *one) holdAll(waiting map[string]string) (map[string]string, error) {
	if err := o.checkWaiting(waiting); err != nil {
		return nil, err
	}
	others := map[string]string{}
	for _, pod := range o.cluster.Pods {
		key := cluster.Key(pod)
		if waiting[key] == "" {
			continue
		}
		status, err := o.hold(pod, waiting[key])
		switch {
		case err != nil:
			return nil, err
		case status.IsWait():
		case status.IsSuccess():
			others[key] = "bind"
			for _, name := range o.watched.released {
				others[name] = "bind"
				// It returns at once, and takes the pod off the list of those at Permit.
				o.profile.WaitOnPermit(o.ctx, o.cluster.Pod(name))
			}
			o.watched.released = nil
		default:
			others[key] = "refused: " + reason(status)
		}
	}
	return others, nil
}

// checkWaiting refuses what cannot wait at Permit.
func (o *one) checkWaiting(waiting map[string]string) error {
	for name, node := range waiting {
		pod := o.cluster.Pod(name)
		if pod == nil {
			return fmt.Errorf("pod %q waits at Permit and is not among the objects", name)
		}
		if pod.Spec.NodeName != "" || cluster.HasEnded(pod) {
			return fmt.Errorf("pod %q waits at Permit, although it is bound or has ended", name)
		}
		if !slices.ContainsFunc(o.cluster.Nodes, func(it *v1.Node) bool { return it.Name == node }) {
			return fmt.Errorf("pod %q waits at Permit for node %q, which is not among the objects", name, node)
		}
	}
	return nil
}

// permit finds what becomes of a pod that gets a node.
func (o *one) permit(answer *Answer, pod *v1.Pod, node string) error {
	status, err := o.hold(pod, node)
	if err != nil {
		return err
	}
	permit := &Permit{Result: "bind", Released: []string{}}
	switch {
	case status.IsWait():
		permit.Result = "wait"
		if gang := o.gang(pod); gang != nil {
			permit.Seconds = gang.WaitTime.Seconds()
		}
	case !status.IsSuccess():
		permit.Result, permit.Reason = "refused", reason(status)
	}
	permit.Released = append(permit.Released, o.watched.released...)
	slices.Sort(permit.Released)
	answer.Permit = permit
	return nil
}
