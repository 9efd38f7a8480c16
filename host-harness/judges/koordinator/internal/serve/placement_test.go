package serve

import (
	"strings"
	"testing"
)

// device has a pod request an amount of devices, or a node have it.
func device(it object, amounts object) object {
	list := object{}
	if it["kind"] == "Node" {
		list = it["status"].(object)["allocatable"].(object)
	} else {
		list = it["spec"].(object)["containers"].([]object)[0]["resources"].(object)["requests"].(object)
	}
	for name, amount := range amounts {
		list[name] = amount
	}
	return it
}

// Without an object that says which NUMA nodes and devices a node has, a demand for a NUMA node is refused, and devices are judged by the sum of the
// node: upstream refuses only what is no request for devices (ValidateDeviceRequest).
func TestPlacement(t *testing.T) {
	const core, memory, whole = "koordinator.sh/gpu-core", "koordinator.sh/gpu-memory-ratio", "nvidia.com/gpu"
	p := func() object { return pod("p", "", 0, "1") }
	for name, it := range map[string]struct {
		want string
		pod  object
	}{
		"no demand":            {"feasible: n1", p()},
		"a NUMA node":          {"missing NUMA resources", p().annotations("scheduling.koordinator.sh/numa-topology-spec", `{"numaTopologyPolicy":"SingleNUMANode"}`)},
		"a share of a device":  {"feasible: n1", device(p(), object{core: "50", memory: "50"})},
		"more than there is":   {"Insufficient koordinator.sh/gpu-core", device(p(), object{core: "300", memory: "300"})},
		"core without memory":  {"invalid resource device requests", device(p(), object{core: "50"})},
		"devices by two names": {"invalid resource device requests", device(p(), object{core: "100", memory: "100", whole: "1"})},
	} {
		t.Run(name, func(t *testing.T) {
			n1 := device(node("n1", "9"), object{core: "200", memory: "200", whole: "2"})
			got := question{about: "p", objects: []object{n1, it.pod}}.ask(t)
			said := got.verdict() + got.Refused["n1"].Reason
			if got.PreFilter != nil {
				said += got.PreFilter.Reason
			}
			if !strings.Contains(said, it.want) {
				t.Errorf("got %s", said)
			}
		})
	}
}
