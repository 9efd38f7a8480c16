package kubelet

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func pod(phase corev1.PodPhase, annotations map[string]string, grace ...int64) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: annotations}, Status: corev1.PodStatus{Phase: phase}}
	if len(grace) > 0 {
		pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &metav1.Time{Time: now}, &grace[0]
	}
	return pod
}

func TestWhatAPodNeedsNext(t *testing.T) {
	ago := func(length time.Duration) time.Time { return now.Add(-length) }
	for name, test := range map[string]struct {
		pod    *corev1.Pod
		seen   seen
		action action
		after  time.Duration
	}{
		"a bound pod starts":           {pod(corev1.PodPending, nil), seen{}, run, 0},
		"a running pod stays":          {pod(corev1.PodRunning, nil), seen{running: ago(time.Hour)}, nothing, 0},
		"a finished pod stays":         {pod(corev1.PodSucceeded, nil), seen{}, nothing, 0},
		"its work takes 3 s, 1 s done": {pod(corev1.PodRunning, map[string]string{RunSeconds: "3"}), seen{running: ago(time.Second)}, succeed, 2 * time.Second},
		"a grace of 30 s, 10 s over":   {pod(corev1.PodRunning, nil, 30), seen{deleted: ago(10 * time.Second)}, remove, 20 * time.Second},
		"a grace that is over":         {pod(corev1.PodRunning, nil, 30), seen{deleted: ago(31 * time.Second)}, remove, 0},
		"it stops before its grace":    {pod(corev1.PodRunning, map[string]string{StopSeconds: "0.5"}, 30), seen{deleted: now}, remove, 500 * time.Millisecond},
		"it would stop after its grace": {
			pod(corev1.PodRunning, map[string]string{StopSeconds: "60"}, 30), seen{deleted: now}, remove, 30 * time.Second,
		},
		"a stop time that is no number": {pod(corev1.PodRunning, map[string]string{StopSeconds: "soon"}, 5), seen{deleted: now}, remove, 5 * time.Second},
		"a pod deleted before it ran":   {pod(corev1.PodPending, nil, 1), seen{deleted: now}, remove, time.Second},
		"a finished pod is deleted":     {pod(corev1.PodFailed, nil, 30), seen{deleted: now}, remove, 0},
		"its node is gone":              {pod(corev1.PodRunning, nil), seen{orphaned: ago(time.Second)}, collect, time.Second},
		"deleted, and its node is gone": {pod(corev1.PodRunning, nil, 30), seen{deleted: now, orphaned: ago(time.Hour)}, remove, 30 * time.Second},
	} {
		if action, after := decide(test.pod, test.seen, now); action != test.action || after != test.after {
			t.Errorf("%s: action %d after %v, expected %d after %v", name, action, after, test.action, test.after)
		}
	}
}
