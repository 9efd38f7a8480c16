package plugin

import (
	"os"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
)

// The file that is shipped is read as kube-scheduler reads it: strictly, with its defaults, and validated.
func TestTheShippedConfigurationIsTaken(t *testing.T) {
	text, err := os.ReadFile("../../configuration.yaml")
	if err != nil {
		t.Fatal(err)
	}
	decoded, _, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, ok := decoded.(*config.KubeSchedulerConfiguration)
	if !ok || len(found.Profiles) != 1 {
		t.Fatalf("%T with profiles", decoded)
	}
	if err := validation.ValidateKubeSchedulerConfiguration(found); err != nil {
		t.Error(err)
	}
	profile := found.Profiles[0]
	names := func(set config.PluginSet) (names []string) {
		for _, plugin := range set.Enabled {
			names = append(names, plugin.Name)
		}
		return names
	}
	// Plans and the order of the queue are the policy's alone.
	for point, set := range map[string]config.PluginSet{
		"postFilter": profile.Plugins.PostFilter, "podGroupPostFilter": profile.Plugins.PodGroupPostFilter, "queueSort": profile.Plugins.QueueSort,
	} {
		everyOther := slices.Contains(set.Disabled, config.Plugin{Name: "*"})
		if enabled := names(set); !slices.Equal(enabled, []string{Name}) || !everyOther {
			t.Errorf("%s: %v, without all others: %v", point, enabled, everyOther)
		}
	}
	if !slices.Contains(names(profile.Plugins.MultiPoint), Name) {
		t.Error(names(profile.Plugins.MultiPoint))
	}
	for _, given := range profile.PluginConfig {
		if given.Name != Name {
			continue
		}
		args, err := readArgs(given.Args)
		defaults, _ := readArgs(&runtime.Unknown{})
		defaults.Sort = true
		if err != nil || args != defaults || args.Start.Duration != time.Minute {
			t.Errorf("%+v, %v: not %+v, which the README says", args, err, defaults)
		}
		return
	}
	t.Error("no arguments of", Name)
}
