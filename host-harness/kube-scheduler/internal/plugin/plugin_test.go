package plugin

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"lictor.dev/kube-scheduler/internal/wire"
)

func podNamed(name string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-" + name)}}
}

func TestArguments(t *testing.T) {
	for text, said := range map[string]string{
		`{}`:                                    "",
		`{"socket": "/s", "claim": "labelled"}`: "",
		`{"deadline": "200ms", "start": "1s"}`:  "",
		`{"claim": "some"}`:                     "write all or labelled",
		`{"sockett": "/s"}`:                     "unknown field",
		`{"socket": ""}`:                        "name the socket",
		`{"deadline": "0s"}`:                    "longer than nothing",
	} {
		_, err := readArgs(&runtime.Unknown{Raw: []byte(text)})
		if said == "" && err != nil || said != "" && (err == nil || !strings.Contains(err.Error(), said)) {
			t.Errorf("%s: %v", text, err)
		}
	}
	args, err := readArgs(nil)
	if err != nil || args.Claim != claimAll || args.Deadline.Duration != 5*time.Second {
		t.Errorf("%v, %v", args, err)
	}
}

func TestThePolicyIsAskedAboutWhatItClaims(t *testing.T) {
	labelled := podNamed("a")
	labelled.Labels = map[string]string{"group": "g"}
	annotated := podNamed("b")
	annotated.Annotations = map[string]string{"quota": "q"}
	p := &Plugin{args: Args{Claim: claimLabelled}}
	if !p.isClaimed(podNamed("c")) {
		t.Error("before it is known what the policy reads, no pod passes")
	}
	p.claims.Store(&claims{labels: []string{"group"}, annotations: []string{"quota"}})
	if !p.isClaimed(labelled) || !p.isClaimed(annotated) || p.isClaimed(podNamed("c")) {
		t.Error("labelled pods are claimed, and no others")
	}
	p.claims.Store(&claims{labels: []string{"*"}})
	if !p.isClaimed(labelled) || p.isClaimed(podNamed("c")) {
		t.Error("any label is read")
	}
	p.args.Claim = claimAll
	if !p.isClaimed(podNamed("c")) {
		t.Error("all pods are claimed")
	}
}

func TestAVerdictIsAByteOfTheNode(t *testing.T) {
	said := &cycle{codes: []byte{0, 2, 3}, obstacles: []string{"full", "too slow"}, numbers: map[string]uint32{"n0": 0, "n1": 1, "n2": 2, "n7": 7}}
	for node, want := range map[string]string{
		"n0": "", "n1": "too slow", "n2": "lictor: the node is refused",
		"n7": "lictor: the policy does not know the node yet", "n9": "lictor: the policy does not know the node yet",
	} {
		status := said.verdict(node)
		if want == "" && status != nil || want != "" && (status.Code() != fwk.Unschedulable || status.Message() != want) {
			t.Errorf("%s: %v", node, status)
		}
	}
}

func TestAScoreIsAByteOfTheNode(t *testing.T) {
	codes, scores := apart(wire.Head{Scores: 3}, []byte{0, 1, 0, 40, 0, 100})
	if !slices.Equal(codes, []byte{0, 1, 0}) {
		t.Errorf("verdicts %v", codes)
	}
	said := &cycle{scores: scores, numbers: map[string]uint32{"n0": 0, "n1": 1, "n2": 2, "n7": 7}}
	for node, want := range map[string]int64{"n0": 40, "n1": 0, "n2": 100, "n7": 0, "n9": 0} {
		if found := said.score(node); found != want {
			t.Errorf("%s: %d, not %d", node, found, want)
		}
	}
	if codes, scores := apart(wire.Head{}, []byte{0, 1}); len(codes) != 2 || len(scores) != 0 {
		t.Errorf("without scores: %v, %v", codes, scores)
	}
	if codes, scores := apart(wire.Head{Scores: 9}, []byte{1}); len(codes) != 0 || len(scores) != 1 {
		t.Errorf("more scores than bytes: %v, %v", codes, scores)
	}
}

func TestWhereThePolicyDoesNotScoreKubeSchedulerDoes(t *testing.T) {
	for scores, want := range map[string]bool{"": true, "a": false} {
		state := framework.NewCycleState()
		state.Write(Name, &cycle{scores: []byte(scores)})
		if status := (&Plugin{}).PreScore(t.Context(), state, podNamed("a"), nil); status.IsSkip() != want {
			t.Errorf("%q: %v", scores, status)
		}
	}
	if status := (&Plugin{}).PreScore(t.Context(), framework.NewCycleState(), podNamed("a"), nil); !status.IsSkip() {
		t.Errorf("not asked about: %v", status)
	}
}

func TestRefusedPodsAreWokenByWhatThePolicyNames(t *testing.T) {
	var woken []string
	h := newHints(func(pods map[string]*v1.Pod) {
		for key := range pods {
			woken = append(woken, key)
		}
		slices.Sort(woken)
	})
	a, b, c := podNamed("a"), podNamed("b"), podNamed("c")
	soon := int64(30)
	h.refused(a, wire.Again{After: []string{"object-upserted/ElasticQuota"}}, h.now())
	h.also(a, wire.Again{After: []string{podRemoved}}, h.now())
	h.refused(b, wire.Again{At: &soon}, h.now())
	h.away(c, h.now())
	if h.worth(a.UID, podUpserted) || !h.worth(a.UID, podRemoved) {
		t.Error("a waits for pods that leave")
	}
	if h.worth(b.UID, podRemoved) || h.worth(c.UID, podRemoved) {
		t.Error("b waits for its time, and c for the host")
	}
	if !h.worth("somebody", podUpserted) {
		t.Error("of whom nothing was said is tried again")
	}
	h.changed("object-upserted/PodGroup")
	if woken != nil {
		t.Errorf("%v", woken)
	}
	h.changed("object-upserted/ElasticQuota")
	h.back()
	if !slices.Equal(woken, []string{"default/a", "default/b", "default/c"}) {
		t.Errorf("%v", woken)
	}
	h.refused(b, wire.Again{At: &soon}, h.now())
	later := int64(40)
	h.also(b, wire.Again{At: &later}, h.now())
	if at := h.pods[b.UID].again.At; *at != soon {
		t.Errorf("the earlier moment counts, not %d", *at)
	}
}

func TestWhatAnotherHostHasSaidIsVoid(t *testing.T) {
	w := newWaking(t)
	w.hints.isThere = func(wire.Object) bool { return true }
	never := wire.Again{After: []string{"object-upserted/ElasticQuota"}}
	refused, away, planned, lost := podNamed("a"), podNamed("b"), podNamed("c"), podNamed("d")
	asked := w.hints.now()
	w.hints.refused(refused, never, asked)
	w.hints.away(away, asked)
	w.hints.planned(planned, []wire.Object{{UID: "v"}}, nil)
	w.hints.lost(lost)
	w.hints.back()
	if took := w.took(); !slices.Equal(took, []string{"default/a", "default/b"}) {
		t.Errorf("the one waits for its victims, the other for its turn: %v", took)
	}
	// The answers come late: another host has begun meanwhile.
	w.now = w.now.Add(firstPace)
	w.hints.refused(refused, never, asked)
	w.hints.away(away, asked)
	if took := w.took(); !slices.Equal(took, []string{"default/a", "default/b"}) {
		t.Errorf("nobody has asked the host that answers now: %v", took)
	}
	w.hints.refused(refused, never, w.hints.now())
	w.hints.away(away, w.hints.now())
	if took := w.took(); took != nil {
		t.Errorf("this host has said so: %v", took)
	}
	// A host that ends again and again has a pod tried at its pace.
	w.hints.back()
	if took := w.took(); !slices.Equal(took, []string{"default/b"}) {
		t.Errorf("%v", took)
	}
	w.now = w.now.Add(2 * firstPace)
	w.hints.wakeDue()
	if took := w.took(); !slices.Contains(took, "default/a") {
		t.Errorf("%v", took)
	}
	// The host has replaced its policy.
	w.now = w.now.Add(longestPace)
	w.hints.refused(refused, never, w.hints.now())
	w.feed.plugin.obey(nil, wire.Commands{Anew: true})
	if took := w.took(); !slices.Equal(took, []string{"default/a"}) {
		t.Errorf("%v", took)
	}
}

func TestObjectsAreNamedAsTheProtocolHasIt(t *testing.T) {
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	for want, got := range map[string]string{
		"Pod/default/a":                  name(wire.Kind{Kind: "Pod"}, podNamed("a")),
		"Node/n1":                        name(wire.Kind{Kind: "Node"}, node),
		"PodGroup.example.com/default/a": name(wire.Kind{Group: "example.com", Kind: "PodGroup"}, podNamed("a")),
		"Reservation/n1":                 name(wire.Kind{Group: "example.com", Kind: "Reservation", Placed: true}, node),
	} {
		if want != got {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

func TestAPodThatIsBeingBoundIsToldAsBound(t *testing.T) {
	f := &feed{shown: map[types.UID]string{"uid-a": "n1"}}
	for pod, want := range map[string]string{"a": "n1", "b": ""} {
		text, err := f.encode(podNamed(pod))
		if err != nil {
			t.Fatal(err)
		}
		var told v1.Pod
		if err := json.Unmarshal(text, &told); err != nil {
			t.Fatal(err)
		}
		if told.Spec.NodeName != want || told.Kind != "Pod" || told.APIVersion != "v1" {
			t.Errorf("%s: %s", pod, text)
		}
	}
}

func TestTheQueueIsOrderedByKeysOfOneEpoch(t *testing.T) {
	k := newKeys()
	if void := k.learn(1, [][2]string{{"default/a", "0a"}, {"default/b", "09ff"}}); void != nil {
		t.Errorf("%v", void)
	}
	if a, b, ok := k.of("default/a", "default/b"); !ok || a <= b {
		t.Errorf("%s, %s, %t", a, b, ok)
	}
	if void := k.learn(2, [][2]string{{"default/c", "01"}}); len(void) != 2 {
		t.Errorf("two keys are void, not %v", void)
	}
	if _, _, ok := k.of("default/a", "default/c"); ok {
		t.Error("keys of two epochs cannot be compared")
	}
	if void := k.learn(3, [][2]string{{"default/d", "01"}}); void != nil {
		t.Errorf("all are asked for already, and again: %v", void)
	}
	k.refreshed(4, [][2]string{{"default/a", "01"}, {"default/c", "02"}})
	if a, c, ok := k.of("default/a", "default/c"); !ok || a >= c {
		t.Errorf("%s, %s, %t", a, c, ok)
	}
}

func TestAKeyIsAskedForWhenItsPodHasChanged(t *testing.T) {
	k, pod := newKeys(), podNamed("a")
	pod.ResourceVersion = "1"
	if !k.asks(pod) {
		t.Error("it is not known")
	}
	k.learn(1, [][2]string{{"default/a", "01"}})
	if k.asks(pod) {
		t.Error("it is known")
	}
	pod.ResourceVersion = "2"
	if !k.asks(pod) {
		t.Error("the pod has changed")
	}
}

// kube-scheduler says that a pod was deleted which has lost the node that it was to have, too.
func TestAPodIsGoneWhenItIsThereNoMore(t *testing.T) {
	isThere := true
	p := newPlugin(t.Context(), Args{Claim: claimAll}, nil)
	p.hints.isThere = func(wire.Object) bool { return isThere }
	pod, knows := podNamed("a"), func() bool { _, ok := p.feed.objects["Pod/default/a"]; return ok }
	events, err := p.EventsToRegister(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	deleted := func() {
		if _, err := events[0].QueueingHintFn(p.logger, podNamed("b"), pod, nil); err != nil {
			t.Fatal(err)
		}
	}
	if !p.feed.ensure(pod) || !knows() {
		t.Error("a pod that is asked about is told")
	}
	if deleted(); !knows() {
		t.Error("one that has lost its node is still there")
	}
	isThere = false
	if deleted(); knows() {
		t.Error("one that was deleted is not")
	}
	if p.feed.ensure(pod) || knows() {
		t.Error("and is not told again")
	}
}
