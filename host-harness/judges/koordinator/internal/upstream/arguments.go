package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/koordinator-sh/koordinator/pkg/scheduler/apis/config"
	configv1 "github.com/koordinator-sh/koordinator/pkg/scheduler/apis/config/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Arguments are the arguments of the two plugins, completed by upstream's defaults.
type Arguments struct {
	quota *config.ElasticQuotaArgs
	gang  *config.CoschedulingArgs
	// defaultPreemption adds DefaultPreemption behind the two, as in the configuration that upstream ships.
	defaultPreemption bool
}

// given are the arguments of a request, by upstream's names unless said otherwise.
type given struct {
	EnableRuntimeQuota            *bool            `json:"enableRuntimeQuota"`
	EnableMinQuotaScale           *bool            `json:"enableMinQuotaScale"`
	EnableCheckParentQuota        *bool            `json:"enableCheckParentQuota"`
	DisableDefaultQuotaPreemption *bool            `json:"disableDefaultQuotaPreemption"`
	DefaultTimeout                *metav1.Duration `json:"defaultTimeout"`
	EnablePreemption              *bool            `json:"enablePreemption"`
	// DefaultPreemption is an argument of the judge.
	DefaultPreemption bool `json:"defaultPreemption"`
	// Those of the proposal of job-level preemption, which upstream has not built, are passed over.
	DisableDefaultPreemptiable      any `json:"disableDefaultPreemptiable"`
	DisableDefaultTriggerPreemption any `json:"disableDefaultTriggerPreemption"`
	PodShouldBeDeletedWhenPreempted any `json:"podShouldBeDeletedWhenPreempted"`
}

// ReadArguments reads the arguments of a request. An unknown name is an error.
func ReadArguments(text json.RawMessage) (*Arguments, error) {
	var read given
	if len(text) > 0 {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&read); err != nil {
			return nil, fmt.Errorf("the arguments cannot be read: %w", err)
		}
	}
	quota := &configv1.ElasticQuotaArgs{
		EnableRuntimeQuota: read.EnableRuntimeQuota, EnableMinQuotaScale: read.EnableMinQuotaScale,
		EnableCheckParentQuota: read.EnableCheckParentQuota, DisableDefaultQuotaPreemption: read.DisableDefaultQuotaPreemption,
	}
	gang := &configv1.CoschedulingArgs{DefaultTimeout: read.DefaultTimeout, EnablePreemption: read.EnablePreemption}
	configv1.SetDefaults_ElasticQuotaArgs(quota)
	configv1.SetDefaults_CoschedulingArgs(gang)
	arguments := &Arguments{quota: &config.ElasticQuotaArgs{}, gang: &config.CoschedulingArgs{}, defaultPreemption: read.DefaultPreemption}
	if err := configv1.Convert_v1_ElasticQuotaArgs_To_config_ElasticQuotaArgs(quota, arguments.quota, nil); err != nil {
		return nil, err
	}
	return arguments, configv1.Convert_v1_CoschedulingArgs_To_config_CoschedulingArgs(gang, arguments.gang, nil)
}
