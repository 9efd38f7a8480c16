package plugin

import (
	"k8s.io/apimachinery/pkg/types"

	"lictor.dev/kube-scheduler/internal/wire"
)

// open are the commands that the host may ask about, by the pod and by what they do: of each kind the last one, until the pod is gone.
type open map[types.UID]map[string]wire.Order

// put keeps a command. An earlier one that does the same with its pod is superseded.
func (o open) put(order wire.Order) {
	uid := types.UID(order.Object.UID)
	if o[uid] == nil {
		o[uid] = map[string]wire.Order{}
	}
	o[uid][order.Action] = order
}

// get is the command that this one asks about; false where it was never given, was superseded, or its pod is gone.
func (o open) get(asked wire.Order) (wire.Order, bool) {
	for _, order := range o[types.UID(asked.Object.UID)] {
		if order.ID == asked.ID {
			return order, true
		}
	}
	return wire.Order{}, false
}

// drop forgets the command that does this with a pod.
func (o open) drop(pod types.UID, action string) {
	delete(o[pod], action)
	if len(o[pod]) == 0 {
		delete(o, pod)
	}
}
