package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

// The pod that is to get room asks for so many cores, each of which a pod has to leave for.
const asked = 4

// A kube-scheduler with its default profile and full nodes in its cache, which is not running.
type cluster struct {
	scheduler  *scheduler.Scheduler
	framework  framework.Framework
	preemption *defaultpreemption.DefaultPreemption
	preemptor  *v1.Pod
}

// One attempt for the preemptor.
type attempt struct {
	filter, preempt     time.Duration
	candidates, victims int
}

func build(ctx context.Context, nodes int) (*cluster, error) {
	client := fake.NewClientset()
	informed := informers.NewSharedInformerFactory(client, 0)
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	built, err := scheduler.New(ctx, client, informed, nil, profile.NewRecorderFactory(broadcaster))
	if err != nil {
		return nil, err
	}
	informed.Start(ctx.Done())
	informed.WaitForCacheSync(ctx.Done())
	logger := klog.FromContext(ctx)
	for number := range nodes {
		built.Cache.AddNode(logger, node(number))
	}
	for number := range nodes * podsPerNode {
		running := pod(fmt.Sprintf("pod-%07d", number), 1, int32(1000+number%9))
		running.Spec.NodeName = node(number / podsPerNode).Name
		started := metav1.NewTime(time.Unix(1_767_225_600-int64(number%86_400), 0))
		running.Status = v1.PodStatus{Phase: v1.PodRunning, StartTime: &started}
		if err := built.Cache.AddPod(logger, running); err != nil {
			return nil, err
		}
	}
	own, ok := built.Profiles[v1.DefaultSchedulerName]
	if !ok {
		return nil, errors.New("there is no default profile")
	}
	snapshot, ok := own.SnapshotSharedLister().(*internalcache.Snapshot)
	if !ok {
		return nil, errors.New("the snapshot is of another kind")
	}
	if err := built.Cache.UpdateSnapshot(logger, snapshot); err != nil {
		return nil, err
	}
	// The defaults of kube-scheduler.
	args := &config.DefaultPreemptionArgs{MinCandidateNodesPercentage: 10, MinCandidateNodesAbsolute: 100}
	features := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	preemption, err := defaultpreemption.New(ctx, args, own, features)
	return &cluster{built, own, preemption, pod("job-000", asked, 9000)}, err
}

// Finds no node for the preemptor, and then the victims of a preemption, as `evaluate` of kube-scheduler does. Nobody is evicted.
func (c *cluster) attempt(ctx context.Context) (attempt, error) {
	it, state := attempt{}, framework.NewCycleState()
	info, err := framework.NewPodInfo(c.preemptor)
	if err != nil {
		return it, err
	}
	begun := time.Now()
	_, err = c.scheduler.SchedulePod(ctx, c.framework, state, &framework.QueuedPodInfo{PodInfo: info})
	it.filter = time.Since(begun)
	var unfit *framework.FitError
	if !errors.As(err, &unfit) {
		return it, fmt.Errorf("a node has room: %w", err)
	}
	begun = time.Now()
	potential, err := unfit.Diagnosis.NodeToStatus.NodesForStatusCode(c.framework.SnapshotSharedLister().NodeInfos(), fwk.Unschedulable)
	if err != nil {
		return it, err
	}
	offset, count := c.preemption.GetOffsetAndNumCandidates(int32(len(potential)))
	candidates, _, err := c.preemption.Evaluator.DryRunPreemption(ctx, state, c.preemptor, potential, nil, offset, count)
	if err != nil {
		return it, err
	}
	best := c.preemption.Evaluator.SelectCandidate(ctx, candidates)
	it.preempt = time.Since(begun)
	if best == nil || len(best.Victims().Pods) != asked {
		return it, fmt.Errorf("%v is to be evicted, %d pods expected", best, asked)
	}
	it.candidates, it.victims = len(candidates), len(best.Victims().Pods)
	return it, nil
}

func node(number int) *v1.Node {
	room := v1.ResourceList{
		v1.ResourceCPU:    *resource.NewQuantity(podsPerNode, resource.DecimalSI),
		v1.ResourceMemory: *resource.NewQuantity(podsPerNode<<36, resource.BinarySI),
		v1.ResourcePods:   *resource.NewQuantity(110, resource.DecimalSI),
	}
	name := fmt.Sprintf("node-%06d", number)
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)},
		Status:     v1.NodeStatus{Allocatable: room, Capacity: room},
	}
}

func pod(name string, cores int64, priority int32) *v1.Pod {
	requests := v1.ResourceList{
		v1.ResourceCPU:    *resource.NewQuantity(cores, resource.DecimalSI),
		v1.ResourceMemory: *resource.NewQuantity(cores<<32, resource.BinarySI),
	}
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "work", Name: name, UID: types.UID(name)},
		Spec: v1.PodSpec{
			SchedulerName: v1.DefaultSchedulerName, Priority: &priority,
			Containers: []v1.Container{{Name: "main", Resources: v1.ResourceRequirements{Requests: requests}}},
		},
		Status: v1.PodStatus{Phase: v1.PodPending},
	}
}
