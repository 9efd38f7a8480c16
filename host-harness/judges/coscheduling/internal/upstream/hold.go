package upstream

import (
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"lictor.dev/judges/kube/answers"
	"lictor.dev/judges/kube/cluster"
	"lictor.dev/judges/kube/initial"
)

// hold puts the pods of the request at Permit, in the order in which kube-scheduler observes pods.
func (o *one) hold() error {
	o.holding = true
	defer func() { o.holding, o.told = false, told{} }()
	for name := range o.setting.Waiting {
		if o.cluster.Pod(name) == nil {
			return fmt.Errorf("pod %q at Permit is not among the objects", name)
		}
	}
	for _, pod := range o.cluster.Pods {
		node, ok := o.setting.Waiting[cluster.Key(pod)]
		if !ok {
			continue
		}
		if err := o.holdOn(pod, node); err != nil {
			return fmt.Errorf("pod %q cannot wait at Permit: %w", cluster.Key(pod), err)
		}
	}
	return nil
}

// holdOn puts a pod at Permit with this node. PreFilter and Filter run for what they leave in the state. What they say is not asked: the
// pod has passed them in the cluster of its own attempt.
func (o *one) holdOn(pod *v1.Pod, node string) error {
	if why := answers.Untried(pod, v1.DefaultSchedulerName); why != "" {
		return errors.New(why)
	}
	info, err := o.snapshot.Get(node)
	if err != nil {
		return err
	}
	state := initial.State()
	o.profile.RunPreFilterPlugins(o.ctx, state, pod)
	o.profile.RunFilterPlugins(o.ctx, state, pod, info)
	if status := o.permit(state, pod, node); !status.IsWait() {
		return status.AsError()
	}
	return o.update()
}

// permit plays what follows in a scheduling cycle when the node is chosen (schedule_one.go, schedulingCycle): the pod is assumed to be on
// the node, the Reserve plugins and then the Permit plugins are asked.
func (o *one) permit(state *framework.CycleState, pod *v1.Pod, node string) *framework.Status {
	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = node
	if assumed.Status.StartTime == nil {
		// As for bound pods, see completePod of package cluster.
		assumed.Status.StartTime = &o.cluster.Later
	}
	if err := o.scheduler.Cache.AssumePod(klog.FromContext(o.ctx), assumed); err != nil {
		return framework.AsStatus(err)
	}
	o.scheduler.SchedulingQueue.DeleteNominatedPodIfExists(assumed)
	if status := o.profile.RunReservePluginsReserve(o.ctx, state, assumed, node); !status.IsSuccess() {
		return status
	}
	return o.profile.RunPermitPlugins(o.ctx, state, assumed, node)
}

// release stops the timers of all pods at Permit, which would keep the scheduler in memory.
func (o *one) release() {
	o.profile.IterateOverWaitingPods(func(pod framework.WaitingPod) { pod.Reject(holderName, "the request is answered") })
}
