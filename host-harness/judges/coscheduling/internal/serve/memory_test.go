package serve

import "testing"

// What upstream has in memory about groups is what the request says, and nothing of how the pods came to Permit.
func TestWhatIsKnownOfGroups(t *testing.T) {
	few := []object{node("n1", "2"), node("n2", "2"), group("g", 3).with("spec.minResources", object{"cpu": "3"}), member("a"),
		member("b"), member("c"), pod("o", 0, "2")}
	verdicts(t, map[string]expected{
		"enough is free": {"wait: n1 n2", asking("b", few...).holding("a", "n1")},
		"not any more":   {short + ", rejects a", asking("b", few...).holding("a", "n1", "o", "n2")},
		"it was when upstream asked": {
			"wait: n1",
			asking("b", few...).holding("a", "n1", "o", "n2").with("permitted", []string{"default/g"}),
		},
		"of a group of another name": {
			short + ", rejects a",
			asking("b", few...).holding("a", "n1", "o", "n2").with("permitted", []string{"x/g"}),
		},
		"it has failed":               {short, asking("b", few...).with("backedOff", []string{"default/g"})},
		"a group of another name has": {"wait: n1 n2", asking("b", few...).with("backedOff", []string{"x/g"})},
		"both: the failure comes first": {
			short,
			asking("b", few...).with("backedOff", []string{"default/g"}, "permitted", []string{"default/g"}),
		},
	})
}
