package upstream

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/koordinator-sh/koordinator/pkg/scheduler/frameworkext"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/coscheduling/core"
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"

	"lictor.dev/judges/kube/answers"
	"lictor.dev/judges/kube/cluster"
)

// plannerName is the plugin that makes the plans.
const plannerName = "Judge"

// planner is a PostFilter plugin behind Coscheduling and before ElasticQuota: Coscheduling, where it may preempt and finds no plan, ends the
// nominations of the gang, and has the filters pass them over in the rest of the cycle.
type planner struct {
	one    *one
	answer *Answer
	err    error
}

// Name is that of the plugin.
func (p *planner) Name() string { return plannerName }

// PostFilter records the plans of the plugins behind it, and changes nothing.
func (p *planner) PostFilter(_ context.Context, state *framework.CycleState, pod *v1.Pod, statuses framework.NodeToStatusMap) (*framework.PostFilterResult, *framework.Status) {
	p.err = p.one.planAll(p.answer, pod, state, statuses)
	return nil, framework.NewStatus(framework.Unschedulable)
}

// postFilter finds what is done for a pod that fits on no node, by running the PostFilter plugins.
func (o *one) postFilter(answer *Answer, pod *v1.Pod, state *framework.CycleState, unfit *framework.FitError) error {
	if err := o.refuse(answer, unfit.Diagnosis); err != nil {
		return err
	}
	api.take()
	o.planner.answer = answer
	result, status := o.profile.RunPostFilterPlugins(o.ctx, state, pod, unfit.Diagnosis.NodeToStatusMap)
	if o.planner.err != nil {
		return o.planner.err
	}
	done := &PostFilter{Reason: reason(status), Rejected: maps.Clone(o.watched.rejected)}
	answer.PostFilter = done
	changes := result != nil && result.Mode() != framework.ModeNoop
	answer.KeepsNomination = pod.Status.NominatedNodeName != "" && !changes
	evicted := append(api.take(), slices.Collect(maps.Keys(done.Rejected))...)
	if it, ok := frameworkext.GetDiagnosis(state).PreemptionDiagnosis.(*core.JobPreemptionState); ok {
		done.Job = newJob(it)
		if done.Job.Preempts {
			// No other plugin was asked.
			return nil
		}
	}
	if answer.Preemptor == defaultpreemption.Name {
		// It rejects pods at Permit by the framework of kube-scheduler, which is not watched.
		o.watched.Framework.IterateOverWaitingPods(func(pod framework.WaitingPod) { evicted = append(evicted, cluster.Key(pod.GetPod())) })
	}
	node := ""
	if changes {
		node = result.NominatedNodeName
	}
	return answer.check(node, evicted)
}

// newJob reads what the preemption of Coscheduling did.
func newJob(it *core.JobPreemptionState) *Job {
	job := &Job{Preempts: it.Reason == core.ReasonTriggerPodPreemptSuccess, Nodes: it.PodToNominatedNode}
	for _, node := range it.Victims {
		for _, victim := range node.PossibleVictims {
			job.Victims = append(job.Victims, victim.NamespacedName.Namespace+"/"+victim.NamespacedName.Name)
		}
	}
	slices.Sort(job.Victims)
	switch {
	case job.Preempts:
	case it.Message != "":
		job.Reason = it.Message
	default:
		job.Reason = it.Reason
	}
	return job
}

// refuse records why each node was refused, or why all of them were at PreFilter.
func (o *one) refuse(answer *Answer, diagnosis framework.Diagnosis) error {
	nodes, err := o.nodes()
	if err != nil {
		return err
	}
	for _, node := range nodes {
		refused := refusal(diagnosis.NodeToStatusMap[node.Node().Name])
		if diagnosis.PreFilterMsg != "" {
			answer.PreFilter = refused
			return nil
		}
		answer.Refused[node.Node().Name] = *refused
	}
	return nil
}

// check compares what was done with the plans of the dry run: the node is one of the best, and its victims are among the pods that are
// evicted. These are no longer named among the rejected ones, because which of the best nodes it is depends on the order of a map.
func (a *Answer) check(node string, evicted []string) error {
	switch {
	case node == "" && len(a.Plans) > 0:
		return fmt.Errorf("PostFilter finds no node, not one of %v: %s", a.Best, a.PostFilter.Reason)
	case node == "":
		return nil
	case !slices.Contains(a.Best, node):
		return fmt.Errorf("PostFilter chooses %s, which is not among the best %v", node, a.Best)
	}
	at := slices.IndexFunc(a.Plans, func(plan answers.Plan) bool { return plan.Node == node })
	for _, victim := range a.Plans[at].Victims {
		if !slices.Contains(evicted, victim) {
			return fmt.Errorf("PostFilter does not evict %s from %s: %v", victim, node, evicted)
		}
		delete(a.PostFilter.Rejected, victim)
	}
	return nil
}
