package kubelet

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Annotations by which a pod says how it behaves.
const (
	// StopSeconds is how long the pod takes to stop, when it takes less than its grace.
	StopSeconds = "testbed.lictor.dev/stop-seconds"
	// RunSeconds is how long the pod runs until it succeeds by itself; without it, forever.
	RunSeconds = "testbed.lictor.dev/run-seconds"
)

// OrphanAfter is how long the pods of a node that is gone stay: Kubernetes' own pod garbage collector takes 40 s or more.
const OrphanAfter = 2 * time.Second

// action is what a pod needs next.
type action int

const (
	nothing action = iota
	// run makes the pod Running and ready.
	run
	// succeed ends the pod: its containers have done their work.
	succeed
	// remove deletes the pod without grace: its containers have stopped.
	remove
	// collect fails the pod and deletes it: its node is gone.
	collect
)

// seen is what the stand-in has noticed itself. Times in objects are whole seconds, which is too coarse to keep a grace by.
type seen struct {
	// running is when the pod was made Running; zero while it is not.
	running time.Time
	// deleted is when the pod was first seen to be on its way out; zero while it is not.
	deleted time.Time
	// orphaned is when the pod's node was first missed; zero while it is there.
	orphaned time.Time
}

// decide says what a bound pod needs next, and when: the action is due after the duration.
func decide(pod *corev1.Pod, seen seen, now time.Time) (action, time.Duration) {
	ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	switch {
	case pod.DeletionTimestamp != nil && ended:
		return remove, 0
	case pod.DeletionTimestamp != nil:
		return remove, until(seen.deleted, stopTime(pod), now)
	case !seen.orphaned.IsZero():
		return collect, until(seen.orphaned, OrphanAfter, now)
	case ended:
		return nothing, 0
	case pod.Status.Phase != corev1.PodRunning:
		return run, 0
	}
	if length, ok := seconds(pod, RunSeconds); ok {
		return succeed, until(seen.running, length, now)
	}
	return nothing, 0
}

// stopTime is how long the pod takes to stop: its grace, or less where its annotation says so.
func stopTime(pod *corev1.Pod) time.Duration {
	grace := time.Duration(0)
	if pod.DeletionGracePeriodSeconds != nil {
		grace = time.Duration(*pod.DeletionGracePeriodSeconds) * time.Second
	}
	if length, ok := seconds(pod, StopSeconds); ok {
		return min(length, grace)
	}
	return grace
}

// seconds reads an annotation such as "0.5"; what cannot be read counts as not written.
func seconds(pod *corev1.Pod, key string) (time.Duration, bool) {
	text, ok := pod.Annotations[key]
	if !ok {
		return 0, false
	}
	length, err := time.ParseDuration(text + "s")
	return length, err == nil && length >= 0
}

// until is how long it takes from now until a length of time after a start is over.
func until(start time.Time, length time.Duration, now time.Time) time.Duration {
	return max(0, start.Add(length).Sub(now))
}
