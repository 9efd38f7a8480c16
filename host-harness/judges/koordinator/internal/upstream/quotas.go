package upstream

import (
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/koordinator-sh/koordinator/apis/extension"
	v1 "k8s.io/api/core/v1"
)

// Quota is the account of a quota, as the GroupQuotaManager keeps it. Amounts are by resource: thousandths of `cpu`, else whole units.
type Quota struct {
	Parent string  `json:"parent"`
	Used   amounts `json:"used"`
	// NonPreemptibleUsed is the part of Used of pods that are not preemptible.
	NonPreemptibleUsed amounts `json:"nonPreemptibleUsed"`
	Request            amounts `json:"request"`
	Min                amounts `json:"min"`
	// ScaledMin is what is left of Min where the mins of siblings exceed the whole. Absent: Min was not scaled.
	ScaledMin amounts `json:"scaledMin,omitempty"`
	Max       amounts `json:"max"`
	Runtime   amounts `json:"runtime"`
}

type amounts map[v1.ResourceName]int64

// unlimited is the max of the built-in quotas by default. Thousandths of it do not fit into 64 bits.
const unlimited = math.MaxInt64 / 5

// amountsOf returns the amounts of a list, without those that are unlimited.
func amountsOf(list v1.ResourceList) amounts {
	all := amounts{}
	for name, quantity := range list {
		switch {
		case quantity.Value() >= unlimited:
		case name == v1.ResourceCPU:
			all[name] = quantity.MilliValue()
		default:
			all[name] = quantity.Value()
		}
	}
	return all
}

// accounts returns the account of each quota, after their runtimes have settled. The quotas of the system and of pods without a quota are
// left out where nothing was requested of them.
func (o *one) accounts() map[string]Quota {
	runtimes := o.settle()
	all := map[string]Quota{}
	for name, it := range o.quota.GetQuotaSummaries("", false) {
		request := amountsOf(it.Request)
		if len(request) == 0 && (name == extension.DefaultQuotaName || name == extension.SystemQuotaName) {
			continue
		}
		quota := Quota{
			Parent: it.ParentName, Used: amountsOf(it.Used), NonPreemptibleUsed: amountsOf(it.NonPreemptibleUsed), Request: request,
			Min: amountsOf(it.Min), Max: amountsOf(it.Max), Runtime: amountsOf(runtimes[name]),
		}
		if scaled := amountsOf(it.AutoScaleMin); !maps.Equal(scaled, quota.Min) {
			quota.ScaledMin = scaled
		}
		all[name] = quota
	}
	return all
}

// rounds is the number of refreshes of all runtimes, at most.
const rounds = 8

// settle refreshes the runtimes of all quotas until they no longer change. The controller of upstream refreshes each of them once a
// second. One round is not enough: a refresh scales the min of its own quota alone, on which the runtimes of the siblings depend.
func (o *one) settle() map[string]v1.ResourceList {
	manager := o.quota.GetGroupQuotaManagerForTree("")
	names := slices.Sorted(maps.Keys(manager.GetAllQuotaNames()))
	var before map[string]v1.ResourceList
	for range rounds {
		after := map[string]v1.ResourceList{}
		for _, name := range names {
			after[name] = manager.RefreshRuntime(name)
		}
		if reflect.DeepEqual(before, after) {
			break
		}
		before = after
	}
	return before
}
