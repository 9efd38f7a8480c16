package kubelet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// act carries an action out. A pod of the same name with another uid is left alone.
func (k *Kubelet) act(ctx context.Context, pod *corev1.Pod, action action) error {
	switch action {
	case run:
		return k.patch(ctx, pod, runningStatus(pod, metav1.Now()))
	case succeed:
		return k.patch(ctx, pod, corev1.PodStatus{Phase: corev1.PodSucceeded, Conditions: conditions(metav1.Now(), corev1.ConditionFalse)})
	case remove:
		return k.remove(ctx, pod)
	case collect:
		if there, err := k.nodeExists(ctx, pod.Spec.NodeName); there || err != nil {
			k.queue.AddAfter(key{Namespace: pod.Namespace, Name: pod.Name}, OrphanAfter)
			return err
		}
		// In the words of Kubernetes' own pod garbage collector.
		status := corev1.PodStatus{Phase: corev1.PodFailed, Conditions: []corev1.PodCondition{{
			Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now(),
			Reason: "DeletionByPodGC", Message: "PodGC: node no longer exists",
		}}}
		if err := k.patch(ctx, pod, status); err != nil {
			return err
		}
		return k.remove(ctx, pod)
	}
	return nil
}

// nodeExists asks the API server for a node, as Kubernetes' own pod garbage collector does before it deletes: after a restart of the API server
// the watch of nodes may go on up to a minute later than the watch of pods.
func (k *Kubelet) nodeExists(ctx context.Context, name string) (bool, error) {
	_, err := k.client.Nodes().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

func (k *Kubelet) remove(ctx context.Context, pod *corev1.Pod) error {
	options := metav1.NewDeleteOptions(0)
	options.Preconditions = metav1.NewUIDPreconditions(string(pod.UID))
	return k.client.Pods(pod.Namespace).Delete(ctx, pod.Name, *options)
}

func (k *Kubelet) patch(ctx context.Context, pod *corev1.Pod, status corev1.PodStatus) error {
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": pod.UID}, "status": status})
	if err != nil {
		return err
	}
	_, err = k.client.Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, body, metav1.PatchOptions{}, "status")
	return err
}

// runningStatus is what a kubelet reports of a pod whose containers all run.
func runningStatus(pod *corev1.Pod, now metav1.Time) corev1.PodStatus {
	started := true
	status := corev1.PodStatus{
		Phase: corev1.PodRunning, StartTime: &now, HostIP: "10.0.0.1", Conditions: conditions(now, corev1.ConditionTrue),
	}
	for _, container := range pod.Spec.Containers {
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: container.Name, Image: container.Image, Ready: true, Started: &started,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
		})
	}
	return status
}

// conditions are those that a kubelet writes; whether the pod is ready is the one that changes.
func conditions(now metav1.Time, ready corev1.ConditionStatus) []corev1.PodCondition {
	return []corev1.PodCondition{
		{Type: corev1.PodInitialized, Status: corev1.ConditionTrue, LastTransitionTime: now},
		{Type: corev1.ContainersReady, Status: ready, LastTransitionTime: now},
		{Type: corev1.PodReady, Status: ready, LastTransitionTime: now},
	}
}

// syncNode makes a node ready, once: what a test says of its readiness later stands.
func (k *Kubelet) syncNode(ctx context.Context, name string) error {
	object, found, err := k.nodes.GetStore().GetByKey(name)
	if err != nil || !found {
		return err
	}
	node, ok := object.(*corev1.Node)
	if !ok {
		return fmt.Errorf("%s is no node but %T", name, object)
	}
	if saysReadiness(node) {
		return nil
	}
	now := metav1.NewTime(time.Now())
	status := map[string]any{"conditions": []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady", Message: "a stand-in is posting ready status",
		LastHeartbeatTime: now, LastTransitionTime: now,
	}}}
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": node.UID}, "status": status})
	if err != nil {
		return err
	}
	_, err = k.client.Nodes().Patch(ctx, name, types.StrategicMergePatchType, body, metav1.PatchOptions{}, "status")
	return err
}

// saysReadiness says whether a node has been said to be ready or not.
func saysReadiness(node *corev1.Node) bool {
	isReady := func(condition corev1.NodeCondition) bool { return condition.Type == corev1.NodeReady }
	return slices.ContainsFunc(node.Status.Conditions, isReady)
}
