package judge

import (
	_ "unsafe" // go:linkname

	"github.com/apache/yunikorn-core/pkg/common/configs"
	"github.com/apache/yunikorn-core/pkg/common/resources"
	"github.com/apache/yunikorn-core/pkg/scheduler"
	"github.com/apache/yunikorn-core/pkg/scheduler/objects"
	"github.com/apache/yunikorn-core/pkg/scheduler/policies"
)

// newPartition builds a partition. The exported NewClusterContext starts goroutines beside it that clean up by the time of day.
//
//go:linkname newPartition github.com/apache/yunikorn-core/pkg/scheduler.newPartitionContext
func newPartition(config configs.PartitionConfig, rm string, context *scheduler.ClusterContext, silence bool) (*scheduler.PartitionContext, error)

// preemptCheckConcurrency is how many nodes the core checks at once for a preemption, 10. Of those that are equally good, the one is taken
// whose check ends first. With one at a time this is the first one in the order of fewest victims, then name, which is one of them: filter
// passes a node with the fewest victims or never, so the first that passes is as good as the best of ten.
//
//go:linkname preemptCheckConcurrency github.com/apache/yunikorn-core/pkg/scheduler/objects.preemptCheckConcurrency
var preemptCheckConcurrency int

// The three steps of the exported Queue.TryQuotaPreemption, which takes the second and the third in a goroutine that cannot be waited for.

//go:linkname acquireQuota github.com/apache/yunikorn-core/pkg/scheduler/objects.(*Queue).tryAcquirePreemption
func acquireQuota(queue *objects.Queue) bool

//go:linkname preemptQuota github.com/apache/yunikorn-core/pkg/scheduler/objects.(*QuotaPreemptionContext).tryPreemption
func preemptQuota(preemptor *objects.QuotaPreemptionContext)

//go:linkname setQuotaState github.com/apache/yunikorn-core/pkg/scheduler/objects.(*Queue).setQuotaPreemptionState
func setQuotaState(queue *objects.Queue, isRunning bool)

// What a cycle of the core sorts queues and applications by. The methods of Queue that call it begin with the order of a map.

//go:linkname sortQueue github.com/apache/yunikorn-core/pkg/scheduler/objects.sortQueue
func sortQueue(queues []*objects.Queue, fairMaxima []*resources.Resource, by policies.SortPolicy, considerPriority bool)

//go:linkname sortApplications github.com/apache/yunikorn-core/pkg/scheduler/objects.sortApplications
func sortApplications(applications map[string]*objects.Application, by policies.SortPolicy, considerPriority bool, global *resources.Resource) []*objects.Application

//go:linkname sortPolicy github.com/apache/yunikorn-core/pkg/scheduler/objects.(*Queue).getSortType
func sortPolicy(queue *objects.Queue) policies.SortPolicy

// ownMax returns the maximum of a queue without those of the queues above it.
//
//go:linkname ownMax github.com/apache/yunikorn-core/pkg/scheduler/objects.(*Queue).cloneMaxResource
func ownMax(queue *objects.Queue) *resources.Resource
