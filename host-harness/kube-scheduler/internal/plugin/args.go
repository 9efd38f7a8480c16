package plugin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// The pods that the policy is asked about.
const (
	// claimAll: every pod of the profile.
	claimAll = "all"
	// claimLabelled: those with a label or an annotation that the policy reads.
	claimLabelled = "labelled"
)

// Args are the arguments of the plugin in the configuration of kube-scheduler.
type Args struct {
	// Socket is where `lictor serve` listens.
	Socket string `json:"socket"`
	// Claim says which pods the policy is asked about: all, or labelled. Others pass, whether or not the host is there.
	Claim string `json:"claim"`
	// Sort: the queue is ordered by the policy's keys. The plugin must be the one at queueSort, then.
	Sort bool `json:"sort"`
	// Deadline is how long an answer may take.
	Deadline metav1.Duration `json:"deadline"`
	// Start is how long to wait for the host when kube-scheduler starts.
	Start metav1.Duration `json:"start"`
}

func readArgs(given runtime.Object) (Args, error) {
	args := Args{
		Socket: "/run/lictor/scheduler.sock", Claim: claimAll,
		Deadline: metav1.Duration{Duration: 5 * time.Second}, Start: metav1.Duration{Duration: time.Minute},
	}
	// Arguments of plugins that are not Kubernetes' own come as they stand in the file.
	unknown, ok := given.(*runtime.Unknown)
	if given != nil && !ok {
		return args, fmt.Errorf("arguments of the type %T", given)
	}
	if ok && len(unknown.Raw) > 0 {
		decoder := json.NewDecoder(bytes.NewReader(unknown.Raw))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&args); err != nil {
			return args, fmt.Errorf("the arguments of %s: %w", Name, err)
		}
	}
	switch {
	case args.Claim != claimAll && args.Claim != claimLabelled:
		return args, fmt.Errorf("claim is %q: write %s or %s", args.Claim, claimAll, claimLabelled)
	case args.Socket == "":
		return args, errors.New("socket is empty: name the socket of `lictor serve`")
	case args.Deadline.Duration <= 0 || args.Start.Duration <= 0:
		return args, errors.New("deadline and start must be longer than nothing")
	}
	return args, nil
}
