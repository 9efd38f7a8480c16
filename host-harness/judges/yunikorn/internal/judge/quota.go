package judge

import (
	"maps"
	"slices"
	"time"

	"github.com/apache/yunikorn-core/pkg/common/configs"
	"github.com/apache/yunikorn-core/pkg/scheduler/objects"
)

// giveBack decides which pods queues evict that are over their maximum. All delays have ended.
func (c *cluster) giveBack(config configs.PartitionConfig) (Answer, error) {
	config.Queues = withoutDelays(config.Queues)
	core, err := c.newCore(config, 0, func(p *pod) int64 { return p.created })
	if err != nil {
		return Answer{}, err
	}
	defer core.stop()
	var answer Answer
	core.describe(&answer, c.pods)
	core.giveBack(core.partition.GetQueue(configs.RootQueue))
	answer.Decision = Decision{Result: resultNothing}
	if victims := c.firstOfEqual(core.shim.victims); len(victims) > 0 {
		answer.Decision = Decision{Result: resultPreempts, Victims: victims}
	}
	return answer, nil
}

// giveBack does what the exported TryQuotaPreemption does, in turn.
func (c *core) giveBack(queue *objects.Queue) {
	if acquireQuota(queue) {
		preemptQuota(objects.NewQuotaPreemptor(queue))
		setQuotaState(queue, false)
		return
	}
	children := queue.GetCopyOfChildren()
	for _, name := range slices.Sorted(maps.Keys(children)) {
		c.giveBack(children[name])
	}
}

// withoutDelays returns queues whose delays of quota preemption, where there is one, end at once.
func withoutDelays(queues []configs.QueueConfig) []configs.QueueConfig {
	out := slices.Clone(queues)
	for at := range out {
		out[at].Queues = withoutDelays(out[at].Queues)
		out[at].Properties = maps.Clone(out[at].Properties)
		if delay, err := time.ParseDuration(out[at].Properties[configs.QuotaPreemptionDelay]); err == nil && delay > 0 {
			out[at].Properties[configs.QuotaPreemptionDelay] = "1ns"
		}
	}
	return out
}

// firstOfEqual replaces victims by the first of the pods that the core cannot tell from them: which ones it takes is the order of a map.
func (c *cluster) firstOfEqual(victims []string) []string {
	type likeness struct {
		app                         string
		priority                    int32
		hour                        int64
		isPreemptible, isOriginator bool
		amounts                     string
	}
	likenessOf := func(p *pod) likeness {
		return likeness{p.app, p.priority, p.created / 3600, p.isPreemptible, p.isOriginator, p.amounts.String()}
	}
	counts := map[likeness]int{}
	for _, p := range c.pods {
		if slices.Contains(victims, p.key) {
			counts[likenessOf(p)]++
		}
	}
	sorted := slices.Clone(c.pods)
	slices.SortFunc(sorted, func(a, b *pod) int { return order(0).compare(a.key, b.key) })
	var first []string
	for _, p := range sorted {
		if like := likenessOf(p); p.node != "" && p.isOurs && !p.isLeaving && p.required == "" && counts[like] > 0 {
			counts[like]--
			first = append(first, p.key)
		}
	}
	return first
}
