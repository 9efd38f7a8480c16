package serve

import (
	"maps"
	"slices"
	"testing"
)

// Runtimes of quotas, derived by hand from upstream's proposal of multi-hierarchy quotas: a quota gets what it requests of its min; the rest
// goes to those that request more, by weight (max, where there is none), up to request and max.
func TestRuntimes(t *testing.T) {
	demand := func(quota, cpu string) object { return pod("of-"+quota, quota, 0, cpu) }
	for name, it := range map[string]struct {
		// want is cpu in thousandths, by quota.
		want    map[string]int64
		objects []object
	}{
		// Floors 5+15+20+15 leave 45, for b, c and d by weights 60, 50 and 80. b needs 5 of it; 40 are left for c and d: 15.385 and 24.615.
		"by weight": {map[string]int64{"a": 5000, "b": 20000, "c": 35385, "d": 39615}, []object{
			node("n1", "100"), quota("a", "10", "100").weight("40"), quota("b", "15", "100").weight("60"), quota("c", "20", "100").weight("50"),
			quota("d", "15", "100").weight("80"), demand("a", "5"), demand("b", "20"), demand("c", "40"), demand("d", "70"),
		}},
		"mins fill the cluster": {map[string]int64{"a": 4000, "b": 6000}, []object{
			node("n1", "10"), quota("a", "4", "10"), quota("b", "6", "10"), demand("a", "10"), demand("b", "10"),
		}},
		"borrows what the other does not request": {map[string]int64{"a": 9000, "b": 1000}, []object{
			node("n1", "10"), quota("a", "4", "10"), quota("b", "6", "10"), demand("a", "10"), demand("b", "1"),
		}},
		"lends nothing": {map[string]int64{"a": 4000, "b": 6000}, []object{
			node("n1", "10"), quota("a", "4", "10"), quota("b", "6", "10").lendsNothing(), demand("a", "10"), demand("b", "1"),
		}},
		"no more than max": {map[string]int64{"a": 3000, "b": 7000}, []object{
			node("n1", "10"), quota("a", "0", "3").weight("1"), quota("b", "0", "10").weight("1"), demand("a", "10"), demand("b", "10"),
		}},
		"no more than requested": {map[string]int64{"a": 2000, "b": 3000}, []object{
			node("n1", "10"), quota("a", "0", "10"), quota("b", "0", "10"), demand("a", "2"), demand("b", "3"),
		}},
		"weights are the max by default": {map[string]int64{"a": 3000, "b": 6000}, []object{
			node("n1", "9"), quota("a", "0", "10"), quota("b", "0", "20"), demand("a", "9"), demand("b", "20"),
		}},
		"mins beyond the cluster shrink": {map[string]int64{"a": 2000, "b": 6000}, []object{
			node("n1", "8"), quota("a", "4", "20"), quota("b", "12", "20"), demand("a", "20"), demand("b", "20"),
		}},
		// p may have 6 of what its children request, q the rest.
		"children share what the parent has": {map[string]int64{"p": 6000, "c1": 3000, "c2": 3000, "q": 4000}, []object{
			node("n1", "10"), quota("p", "6", "6").isParent(), quota("c1", "0", "6").below("p"), quota("c2", "0", "6").below("p"),
			quota("q", "4", "10"), demand("c1", "5"), demand("c2", "5"), demand("q", "10"),
		}},
		"a child borrows from its sibling": {map[string]int64{"p": 6000, "c1": 5000, "c2": 1000}, []object{
			node("n1", "10"), quota("p", "6", "6").isParent(), quota("c1", "2", "6").below("p"), quota("c2", "4", "6").below("p"),
			demand("c1", "9"), demand("c2", "1"),
		}},
		// The rest, 10-4, is for a and the default quota, which requests 4, by weights 10000 and -600: the default max in thousandths of a
		// core overflows. So a has 6000*10000/9400.
		"pods without a quota come first": {map[string]int64{"a": 6383, defaultQuota: 0}, []object{
			node("n1", "10"), quota("a", "0", "10"), running("r", "n1", "", 0, "4"), demand("a", "10"),
		}},
		"pods of an unknown quota count as without one": {map[string]int64{"a": 6383, defaultQuota: 0}, []object{
			node("n1", "10"), quota("a", "0", "10"), running("r", "n1", "missing", 0, "4"), demand("a", "10"),
		}},
		"a default quota with a max of its own": {map[string]int64{"a": 3000, defaultQuota: 10000}, []object{
			node("n1", "10"), quota("a", "0", "10"), quota(defaultQuota, "0", "10").in("koordinator-system"), running("r", "n1", "", 0, "4"),
			demand("a", "10"),
		}},
		"nodes are added up": {map[string]int64{"a": 7000}, []object{
			node("n1", "3"), node("n2", "4"), quota("a", "0", "10"), demand("a", "10"),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string]int64{}
			about := it.objects[len(it.objects)-1]["metadata"].(object)["name"].(string)
			for name, quota := range (question{about: about, objects: it.objects}).ask(t).Quotas {
				got[name] = quota.Runtime["cpu"]
			}
			if !maps.Equal(got, it.want) {
				t.Errorf("%v, not %v", got, it.want)
			}
		})
	}
}

func TestMinsThatShrinkAreReported(t *testing.T) {
	it := question{about: "p", objects: []object{
		node("n1", "8"), quota("a", "4", "20"), quota("b", "12", "20"), pod("p", "a", 0, "20"), pod("q", "b", 0, "20"),
	}}
	got := it.ask(t).Quotas["a"]
	if got.Min["cpu"] != 4000 || got.ScaledMin["cpu"] != 2000 {
		t.Errorf("%+v", got)
	}
	it.arguments = object{"enableMinQuotaScale": false}
	if got := it.ask(t).Quotas["a"]; got.ScaledMin != nil {
		t.Errorf("%+v", got)
	}
}

func TestUsageCountsInTheQuotasAbove(t *testing.T) {
	objects := []object{
		node("n1", "10"), quota("p", "6", "10").isParent(), quota("c", "2", "10").below("p"), running("r", "n1", "c", 0, "1"),
		running("s", "n1", "c", 0, "2").isNotPreemptible(), pod("q", "c", 0, "4"),
	}
	all := question{about: "q", objects: objects}.ask(t).Quotas
	for name, parent := range map[string]string{"c": "p", "p": "koordinator-root-quota"} {
		it := all[name]
		if it.Parent != parent || it.Used["cpu"] != 3000 || it.NonPreemptibleUsed["cpu"] != 2000 || it.Request["cpu"] != 7000 || it.Max["cpu"] != 10000 {
			t.Errorf("%s: %+v", name, it)
		}
	}
}

func TestQuotaOfAPod(t *testing.T) {
	for name, it := range map[string]struct {
		want    string
		objects []object
	}{
		"label":                       {"a", []object{quota("a", "0", "10"), pod("p", "a", 0, "1")}},
		"named like the namespace":    {"default", []object{quota("default", "0", "10"), pod("p", "", 0, "1")}},
		"such a name, elsewhere":      {defaultQuota, []object{quota("default", "0", "10").in("other"), pod("p", "", 0, "1")}},
		"lists the namespace":         {"a", []object{quota("a", "0", "10").annotations(quotaKey+"namespaces", `["default"]`), pod("p", "", 0, "1")}},
		"none":                        {defaultQuota, []object{quota("a", "0", "10"), pod("p", "", 0, "1")}},
		"unknown, not the namespaces": {defaultQuota, []object{quota("default", "0", "10"), pod("p", "missing", 0, "1")}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for name, quota := range (question{about: "p", objects: append(it.objects, node("n1", "10"))}).ask(t).Quotas {
				if quota.Request["cpu"] > 0 {
					got = append(got, name)
				}
			}
			if !slices.Equal(got, []string{it.want}) {
				t.Errorf("%v, not %v", got, it.want)
			}
		})
	}
}

// The default quota has no min, requests 2Gi, and has a weight of its max, beside which that of a vanishes. So a has what both leave of the
// cluster: 8Gi without 2Gi that are used, and without the same 2Gi again.
func TestMemoryOfPodsWithoutAQuotaIsTakenTwice(t *testing.T) {
	memory := func(it object, amount string) object {
		it["spec"].(object)["containers"].([]object)[0]["resources"] = object{"requests": object{"memory": amount}}
		return it
	}
	got := question{about: "p", objects: []object{
		node("n1", "10"), quota("a", "0", "10").with("spec.max", object{"memory": "8Gi"}), memory(running("r", "n1", "", 0, "1"), "2Gi"),
		memory(pod("p", "a", 0, "1"), "8Gi"),
	}}.ask(t)
	if want := int64(4 << 30); got.Quotas["a"].Runtime["memory"] != want {
		t.Errorf("%d, not %d", got.Quotas["a"].Runtime["memory"], want)
	}
}
