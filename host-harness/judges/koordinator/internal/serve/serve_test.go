package serve

import (
	"bytes"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"time"

	"lictor.dev/judges/lines"
)

func TestErrors(t *testing.T) {
	n1, p := node("n1", "2"), pod("p", "", 0, "1")
	ask := func(about string, objects ...object) question { return question{about: about, objects: objects} }
	waits := func(q question, pod, node string) question {
		q.waiting = map[string]string{"default/" + pod: node}
		return q
	}
	for name, it := range map[string]struct {
		want string
		question
	}{
		"no such pod":      {`pod "default/q" is not among the objects`, ask("q", n1, p)},
		"twice":            {"Pod default/p is there twice", ask("p", n1, p, p)},
		"unreadable":       {`object 0, Pod "q": `, ask("p", object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": "q"}, "spec": 7}, p)},
		"no name":          {"it has no name", ask("p", object{"apiVersion": "v1", "kind": "Pod"}, p)},
		"quotas alike":     {"ElasticQuota default/a and other/a have one name", ask("p", n1, quota("a", "0", "1"), quota("a", "0", "2").in("other"), p)},
		"circle of quotas": {"ElasticQuota default/a has no end of parents", ask("p", n1, p, quota("a", "0", "1").below("b"), quota("b", "0", "1").below("a"))},
		"unknown argument": {"enableQuota", question{about: "p", objects: []object{n1, p}, arguments: object{"enableQuota": true}}},
		"argument":         {"enableRuntimeQuota", question{about: "p", objects: []object{n1, p}, arguments: object{"enableRuntimeQuota": 1}}},
		"no such waiting":  {`pod "default/q" waits at Permit and is not among the objects`, waits(ask("p", n1, p), "q", "n1")},
		"no such node":     {`pod "default/q" waits at Permit for node "n2", which is not among the objects`, waits(ask("p", n1, p, pod("q", "", 0, "1")), "q", "n2")},
		"bound and waits":  {`pod "default/q" waits at Permit, although it is bound or has ended`, waits(ask("p", n1, p, running("q", "n1", "", 0, "1")), "q", "n1")},
	} {
		t.Run(name, func(t *testing.T) {
			if got := it.ask(t).Error; !strings.Contains(got, it.want) {
				t.Errorf("%s\nnot %s", got, it.want)
			}
		})
	}
}

func TestWhatIsNotTried(t *testing.T) {
	for name, it := range map[string]struct {
		want string
		pod  object
	}{
		"bound":             {"untried: it is bound to n1", running("p", "n1", "", 0, "1")},
		"ended":             {"untried: it has ended", pod("p", "", 0, "1").with("status.phase", "Succeeded")},
		"another scheduler": {"untried: it belongs to the scheduler other", pod("p", "", 0, "1").with("spec.schedulerName", "other")},
		"its own scheduler": {"feasible: n1", pod("p", "", 0, "1").with("spec.schedulerName", "koord-scheduler")},
		"being deleted":     {"untried: it is being deleted", pod("p", "", 0, "1").with("metadata.deletionTimestamp", "1970-01-01T00:01:00Z")},
		"gated": {"untried: it is gated by SchedulingGates: waiting for scheduling gates: [g]",
			pod("p", "", 0, "1").with("spec.schedulingGates", []object{{"name": "g"}})},
		"quota without its parent":      {"feasible: n1", pod("p", "orphan", 0, "1")},
		"unknown kinds are passed over": {"feasible: n1", pod("p", "", 0, "1")},
	} {
		t.Run(name, func(t *testing.T) {
			unknown := object{"apiVersion": "example.com/v1", "kind": "Other", "metadata": object{"name": "o"}}
			orphan := quota("orphan", "0", "0").below("missing")
			if got := (question{about: "p", objects: []object{node("n1", "2"), it.pod, unknown, orphan}}).ask(t).verdict(); got != it.want {
				t.Errorf("%s\nnot %s", got, it.want)
			}
		})
	}
}

func TestNoNodes(t *testing.T) {
	got := question{about: "p", objects: []object{pod("p", "", 0, "1")}}.ask(t)
	if got.verdict() != "plans:  best:" || got.PostFilter != nil || got.Quotas[defaultQuota].Request["cpu"] != 1000 {
		t.Errorf("%+v", got)
	}
}

func TestNodeOfANominatedPod(t *testing.T) {
	nominated := func(it object, node string) object { return it.with("status.nominatedNodeName", node) }
	got := question{about: "p", objects: []object{node("n1", "2"), node("n2", "2"), nominated(pod("p", "", 0, "1"), "n2")}}.ask(t)
	if !got.Nominated {
		t.Errorf("%+v", got)
	}
	// A pod of a gang holds its room too, although the queue has one pod of the gang only.
	objects := []object{node("n1", "2"), gang("a", 2), member("a1", "a", "1"), nominated(member("a2", "a", "2"), "n1"), pod("p", "", 5, "1")}
	if got := (question{about: "p", objects: objects}).ask(t).verdict(); got != "plans:  best:" {
		t.Error(got)
	}
	// One that waits at Permit holds its room once.
	objects = []object{node("n1", "3"), gang("a", 2), member("a1", "a", "1"), nominated(member("a2", "a", "2"), "n1"), pod("p", "", 5, "1")}
	if got := (question{about: "p", objects: objects, waiting: map[string]string{"default/a2": "n1"}}).ask(t).verdict(); got != "feasible: n1" {
		t.Error(got)
	}
	// Its nomination stays where no plan was looked for.
	objects = []object{node("n1", "2"), running("r", "n1", "", 0, "2"), nominated(pod("p", "", 5, "1").with("spec.preemptionPolicy", "Never"), "n1")}
	if got := (question{about: "p", objects: objects}).ask(t); !got.KeepsNomination {
		t.Errorf("%+v", got)
	}
}

// questions are of all kinds.
func questions() []question {
	byMax := object{"enableRuntimeQuota": false}
	return []question{
		{about: "p", objects: []object{node("n1", "10"), quota("a", "4", "10"), quota("b", "6", "10"), pod("q", "b", 0, "9"), pod("p", "a", 0, "5")}},
		{about: "p", arguments: byMax, objects: []object{node("n1", "2"), quota("a", "0", "2"), running("r", "n1", "a", 0, "2"), pod("p", "a", 5, "1")}},
		{about: "a2", waiting: map[string]string{"default/a1": "n1"}, objects: []object{
			node("n1", "2"), gang("a", 2), member("a1", "a", "1"), member("a2", "a", "1"),
		}},
		{about: "a1", objects: []object{node("n1", "2"), gang("a", 2), member("a1", "a", "1"), member("a2", "a", "1")}},
		{about: "a1", arguments: object{"enablePreemption": true}, objects: []object{
			node("n1", "2"), gang("a", 2), running("r", "n1", "", 0, "2"), member("a1", "a", "1"), member("a2", "a", "1"),
		}},
	}
}

func TestRequestsDoNotInfluenceOneAnother(t *testing.T) {
	var input, want bytes.Buffer
	for range 3 {
		for _, it := range questions() {
			input.Write(append(it.line(t), '\n'))
			want.Write(append(lines.Answer(it.line(t), Answer), '\n'))
		}
	}
	var output bytes.Buffer
	if err := lines.Serve(&input, &output, Answer); err != nil {
		t.Fatal(err)
	}
	all := strings.Split(output.String(), "\n")
	if output.String() != want.String() || all[0] != all[len(questions())] {
		t.Errorf("%s\nnot %s", output.String(), want.String())
	}
}

func TestNothingRunsAfterAnAnswer(t *testing.T) {
	all := questions()
	all[0].ask(t)
	before := runtime.NumGoroutine()
	for range 20 {
		for _, it := range all {
			it.ask(t)
		}
	}
	// Goroutines of an answered request end at its context, some time later.
	for range 100 {
		if runtime.NumGoroutine() <= before+5 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("%d goroutines, before %d", runtime.NumGoroutine(), before)
}

func TestAnswerIsAnObjectOfTheFieldsOfTheReadme(t *testing.T) {
	var fields map[string]any
	if err := json.Unmarshal(lines.Answer(questions()[1].line(t), Answer), &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"id", "feasible", "nominated", "preFilter", "refused", "plans", "best", "keepsNomination", "postFilter", "quotas"} {
		if _, ok := fields[name]; !ok {
			t.Errorf("no field %s in %v", name, fields)
		}
	}
}

func BenchmarkAnswer(b *testing.B) {
	var all [][]byte
	for _, it := range questions()[:4] {
		all = append(all, it.line(&testing.T{}))
	}
	for i := 0; b.Loop(); i++ {
		lines.Answer(all[i%len(all)], Answer)
	}
}
