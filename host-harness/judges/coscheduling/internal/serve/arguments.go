package serve

import (
	"encoding/json"
	"fmt"
	"time"

	config "sigs.k8s.io/scheduler-plugins/apis/config/v1"
)

// arguments are those of the plugin Coscheduling. Unknown arguments are passed over.
type arguments struct {
	// PermitTimeout is upstream's permitWaitingTimeSeconds, under the name that the system coscheduling has for it.
	PermitTimeout duration `json:"permitTimeout"`
	// PodGroupBackoff is upstream's podGroupBackoffSeconds; zero: groups are never backed off.
	PodGroupBackoff duration `json:"podGroupBackoff"`
}

// UnmarshalJSON reads arguments; absent ones have upstream's defaults.
func (a *arguments) UnmarshalJSON(text []byte) error {
	type plain arguments
	read := plain(upstreamDefaults())
	if err := json.Unmarshal(text, &read); err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	*a = arguments(read)
	return nil
}

// upstreamDefaults returns the arguments of a plugin for which none are configured.
func upstreamDefaults() arguments {
	var defaults config.CoschedulingArgs
	config.SetDefaults_CoschedulingArgs(&defaults)
	return arguments{
		PermitTimeout:   duration(*defaults.PermitWaitingTimeSeconds) * duration(time.Second),
		PodGroupBackoff: duration(*defaults.PodGroupBackoffSeconds) * duration(time.Second),
	}
}

// duration is a time of zero or more: in JSON a number of seconds, or a string that Go's time.ParseDuration reads.
type duration time.Duration

// UnmarshalJSON reads a duration.
func (d *duration) UnmarshalJSON(text []byte) error {
	var seconds float64
	var written string
	read := time.Duration(0)
	if err := json.Unmarshal(text, &seconds); err == nil {
		read = time.Duration(seconds * float64(time.Second))
	} else if err := json.Unmarshal(text, &written); err != nil {
		return fmt.Errorf("%s is no duration", text)
	} else if read, err = time.ParseDuration(written); err != nil {
		return err
	}
	if read < 0 {
		return fmt.Errorf("%s is negative", text)
	}
	*d = duration(read)
	return nil
}
