package plugin

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/workqueue"
	fwk "k8s.io/kube-scheduler/framework"

	"lictor.dev/kube-scheduler/internal/wire"
)

func (a *atServer) Parallelizer() fwk.Parallelizer { return four{} }

// four works at four pieces at a time. That of kube-scheduler counts in metrics, which there are none of here.
type four struct{}

func (four) Until(ctx context.Context, pieces int, work workqueue.DoWorkPieceFunc, _ string) {
	workqueue.ParallelizeUntil(ctx, 4, pieces, work)
}

// apiServer is an API server with pods, which gives no answer to requests of some verbs.
type apiServer struct {
	lock sync.Mutex
	pods map[string]*v1.Pod
	// hangs are the verbs whose requests get no answer; of those in carries, the request is carried out all the same.
	hangs, carries map[string]bool
	// atOnce says that a deleted pod is gone at once.
	atOnce bool
	// asked counts the requests, by verb and name.
	asked map[string]int
	ended chan struct{}
}

func newAPIServer(t *testing.T, pods ...*v1.Pod) (*apiServer, *Plugin) {
	t.Helper()
	server := &apiServer{pods: map[string]*v1.Pod{}, hangs: map[string]bool{}, carries: map[string]bool{}, asked: map[string]int{}, ended: make(chan struct{})}
	for _, pod := range pods {
		server.pods[pod.Name] = pod
	}
	listener := httptest.NewServer(server)
	t.Cleanup(func() {
		close(server.ended)
		listener.Close()
	})
	clients, err := kubernetes.NewForConfig(&rest.Config{Host: listener.URL})
	if err != nil {
		t.Fatal(err)
	}
	p := newPlugin(t.Context(), Args{}, &atServer{clients: clients})
	p.requestDeadline = 100 * time.Millisecond
	return server, p
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, below, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/api/v1/namespaces/default/pods/"), "/")
	verb := r.Method
	s.lock.Lock()
	s.asked[verb+" "+name]++
	pod, hangs := s.pods[name], s.hangs[verb]
	if !hangs || s.carries[verb] {
		s.carryOut(verb, below, pod, r)
	}
	text, _ := json.Marshal(pod)
	s.lock.Unlock()
	if hangs {
		<-s.ended
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if pod == nil {
		w.WriteHeader(http.StatusNotFound)
	}
	_, _ = w.Write(text)
}

func (s *apiServer) carryOut(verb, below string, pod *v1.Pod, r *http.Request) {
	switch verb {
	case http.MethodDelete:
		now := metav1.Now()
		pod.DeletionTimestamp = &now
		if s.atOnce {
			delete(s.pods, pod.Name)
		}
	case http.MethodPatch:
		var patch v1.Pod
		_ = json.NewDecoder(r.Body).Decode(&patch)
		if below == "status" && patch.Status.NominatedNodeName != "" {
			pod.Status.NominatedNodeName = patch.Status.NominatedNodeName
		}
		if below == "" {
			pod.Labels = patch.Labels
		}
	}
}

func (s *apiServer) count(request string) int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.asked[request]
}

// set says which verbs hang from now on.
func (s *apiServer) set(carries bool, verbs ...string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.hangs = map[string]bool{}
	for _, verb := range verbs {
		s.hangs[verb], s.carries[verb] = true, carries
	}
}

// listening is a conversation with a host that keeps the outcomes that it is told, as text.
func listening(t *testing.T, p *Plugin) (*talk, chan string) {
	t.Helper()
	path, outcomes := filepath.Join(t.TempDir(), "s"), make(chan string, 100)
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		stream, err := listener.Accept()
		if err != nil {
			return
		}
		for {
			frame, err := wire.Read(stream)
			switch {
			case err != nil:
				return
			case frame.Kind == wire.KindHello:
				welcome, _ := wire.Frame{Kind: wire.KindWelcome, Number: frame.Number, Payload: []byte(`{"version":1}`)}.Append(nil)
				_, _ = stream.Write(welcome)
			case frame.Kind == wire.KindOutcomes:
				outcomes <- string(frame.Payload)
			}
		}
	}()
	talk := &talk{plugin: p}
	talk.conn, err = wire.Dial(t.Context(), path, wire.Hello{Version: wire.Version}, talk)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(talk.conn.Close)
	return talk, outcomes
}

// hears checks the next outcomes.
func hears(t *testing.T, outcomes chan string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		select {
		case said := <-outcomes:
			if !strings.HasPrefix(said, want) {
				t.Errorf("%s, not %s", said, want)
			}
		case <-time.After(10 * time.Second):
			t.Fatal("no outcome:", want)
		}
	}
	select {
	case said := <-outcomes:
		t.Error("one more outcome:", said)
	case <-time.After(50 * time.Millisecond):
	}
}

// planOf nominates a pod and evicts another one.
func planOf(pod, victim *v1.Pod) wire.Commands {
	nominate := wire.Order{ID: 1, Action: wire.Nominate, Object: victimNamed(pod.Name), Node: "n1"}
	evict := wire.Order{ID: 2, Action: wire.Evict, Object: victimNamed(victim.Name), Delete: true, Plan: 7}
	return wire.Commands{Commands: []wire.Order{nominate, evict}}
}

func ask(id uint64, pod string) wire.Commands {
	return wire.Commands{Commands: []wire.Order{{ID: id, Action: wire.Confirm, Object: victimNamed(pod)}}}
}

func TestNobodyIsEvictedWhileTheAPIServerHangsAndNoCommandIsLost(t *testing.T) {
	a, v := podNamed("a"), podNamed("v")
	server, p := newAPIServer(t, a, v)
	talk, outcomes := listening(t, p)
	server.set(false, http.MethodPatch, http.MethodGet, http.MethodDelete)
	p.obey(talk, planOf(a, v))
	// Of the nomination nothing is known yet: neither request was answered.
	hears(t, outcomes, `[[2,{"failed":"nobody is evicted for a nomination that failed`)
	if found := server.count("PATCH v") + server.count("DELETE v"); found != 0 {
		t.Error(found, "requests about the victim")
	}
	p.obey(talk, ask(1, "a"))
	time.Sleep(3 * p.requestDeadline)
	hears(t, outcomes)
	server.set(false)
	p.obey(talk, ask(1, "a"))
	hears(t, outcomes, `[[1,{"failed":"the cluster does not show it"}]]`)
	p.obey(talk, planOf(a, v))
	hears(t, outcomes, `[[1,"accepted"]]`, `[[2,"accepted"]]`)
	if found := server.count("DELETE v"); found != 1 {
		t.Error(found, "deletions")
	}
}

func TestAnEvictionThatIsCarriedOutWithoutAnAnswerIsDoneOnce(t *testing.T) {
	a, v := podNamed("a"), podNamed("v")
	server, p := newAPIServer(t, a, v)
	talk, outcomes := listening(t, p)
	server.set(true, http.MethodDelete)
	p.obey(talk, planOf(a, v))
	hears(t, outcomes, `[[1,"accepted"]]`, `[[2,"accepted"]]`)
	if found := server.count("DELETE v"); found != 1 {
		t.Error(found, "deletions")
	}
}

func TestAVictimThatIsGoneIsEvictedAndANominationOfAPodThatIsGoneFails(t *testing.T) {
	a, v := podNamed("a"), podNamed("v")
	server, p := newAPIServer(t, a, v)
	talk, outcomes := listening(t, p)
	server.atOnce = true
	server.set(true, http.MethodDelete)
	p.obey(talk, planOf(a, v))
	hears(t, outcomes, `[[1,"accepted"]]`, `[[2,"accepted"]]`)
	server.lock.Lock()
	delete(server.pods, "a")
	server.lock.Unlock()
	p.obey(talk, ask(1, "a"))
	hears(t, outcomes, `[[1,{"failed":"the pod is gone"}]]`)
}

func TestAnEvictionThatIsNotCarriedOutInTimeFails(t *testing.T) {
	a, v := podNamed("a"), podNamed("v")
	for name, order := range map[string]wire.Order{
		http.MethodDelete: {Delete: true},
		http.MethodPatch:  {Marks: []wire.Mark{{Place: "label", Key: "k", Value: "v"}}},
	} {
		server, p := newAPIServer(t, a, v)
		talk, outcomes := listening(t, p)
		server.set(false, name)
		order.ID, order.Action, order.Object = 2, wire.Evict, victimNamed("v")
		p.obey(talk, wire.Commands{Commands: []wire.Order{order}})
		hears(t, outcomes, `[[2,{"failed":"the cluster does not show it"}]]`)
	}
}

func TestACommandThatIsUnderWayHasNotFailed(t *testing.T) {
	a, v := podNamed("a"), podNamed("v")
	server, p := newAPIServer(t, a, v)
	p.requestDeadline = 500 * time.Millisecond
	talk, outcomes := listening(t, p)
	server.set(true, http.MethodPatch)
	p.obey(talk, wire.Commands{Commands: planOf(a, v).Commands[:1]})
	p.obey(talk, ask(1, "a"))
	hears(t, outcomes, `[[1,"accepted"]]`)
	if found := server.count("GET a"); found != 1 {
		t.Error("it was looked at while it was under way:", found)
	}
	if len(p.underWay) != 0 {
		t.Error(p.underWay)
	}
}

func TestARequestHasADeadline(t *testing.T) {
	if p := newPlugin(t.Context(), Args{}, nil); p.requestDeadline != 0 || requestDeadline != time.Minute {
		t.Error(p.requestDeadline, requestDeadline)
	}
}
