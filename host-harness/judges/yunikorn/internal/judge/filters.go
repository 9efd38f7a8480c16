package judge

import (
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// filter checks what the shim checks of a node, other than amounts: whether it is schedulable, its labels and its taints. None of it
// depends on which pods run there, so a node passes before an eviction as after it.
func filter(object *v1.Pod, node *v1.Node) error {
	unschedulable := v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule}
	if node.Spec.Unschedulable && !helpers.TolerationsTolerateTaint(klog.Background(), object.Spec.Tolerations, &unschedulable, true) {
		return errors.New("node(s) were unschedulable")
	}
	fits, err := nodeaffinity.GetRequiredNodeAffinity(object).Match(node)
	if err != nil {
		return err
	}
	if !fits {
		return errors.New("node(s) didn't match Pod's node affinity/selector")
	}
	taint, isTainted := helpers.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, object.Spec.Tolerations,
		func(taint *v1.Taint) bool {
			return taint.Effect == v1.TaintEffectNoSchedule || taint.Effect == v1.TaintEffectNoExecute
		}, true)
	if isTainted {
		return fmt.Errorf("node(s) had untolerated taint {%s: %s}", taint.Key, taint.Value)
	}
	return nil
}

// unread names what the pods ask for that filter does not look at. Empty: the judge can say what the shim would.
func (c *cluster) unread(asked *pod) string {
	spec := asked.object.Spec
	for _, container := range spec.Containers {
		for _, port := range container.Ports {
			if port.HostPort != 0 {
				return "host ports"
			}
		}
	}
	for _, volume := range spec.Volumes {
		if volume.PersistentVolumeClaim != nil || volume.Ephemeral != nil {
			return "volume claims"
		}
	}
	for _, spread := range spec.TopologySpreadConstraints {
		if spread.WhenUnsatisfiable == v1.DoNotSchedule {
			return "topology spread constraints"
		}
	}
	switch {
	case len(spec.ResourceClaims) > 0:
		return "resource claims"
	case spec.Affinity != nil && spec.Affinity.PodAffinity != nil && len(spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0:
		return "required pod affinity"
	case asked.isOfUnreadGroup():
		return "task groups"
	}
	for _, p := range c.pods {
		affinity := p.object.Spec.Affinity
		if (p == asked || p.node != "") && affinity != nil && affinity.PodAntiAffinity != nil &&
			len(affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0 {
			return "required pod anti-affinity"
		}
	}
	return ""
}
