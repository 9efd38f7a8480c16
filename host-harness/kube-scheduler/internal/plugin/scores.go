package plugin

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"lictor.dev/kube-scheduler/internal/wire"
)

var (
	_ fwk.PreScorePlugin = &Plugin{}
	_ fwk.ScorePlugin    = &Plugin{}
)

// apart takes the bytes of an answer apart: the verdicts about nodes, and their scores behind them.
func apart(head wire.Head, bytes []byte) (codes, scores []byte) {
	at := max(0, len(bytes)-max(0, head.Scores))
	return bytes[:at], bytes[at:]
}

// score is what the policy thinks of a node; of one that it does not know yet, the least.
func (c *cycle) score(node string) int64 {
	number, ok := c.numbers[node]
	if !ok || int64(number) >= int64(len(c.scores)) {
		return fwk.MinNodeScore
	}
	return min(int64(c.scores[number]), fwk.MaxNodeScore)
}

// PreScore leaves it to kube-scheduler where the policy does not score.
func (p *Plugin) PreScore(_ context.Context, state fwk.CycleState, _ *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	if said := cycleOf(state); said == nil || len(said.scores) == 0 {
		return fwk.NewStatus(fwk.Skip)
	}
	return nil
}

// Score says what was answered before the nodes were looked at.
func (p *Plugin) Score(_ context.Context, state fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	said := cycleOf(state)
	if said == nil {
		return fwk.MinNodeScore, nil
	}
	return said.score(node.Node().Name), nil
}

// ScoreExtensions are none: the scores of a policy are from 0 to 100, as kube-scheduler's are.
func (p *Plugin) ScoreExtensions() fwk.ScoreExtensions { return nil }
