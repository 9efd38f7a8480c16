package plugin

import (
	"errors"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	fwk "k8s.io/kube-scheduler/framework"

	"lictor.dev/kube-scheduler/internal/wire"
)

// atServer is a handle with clients alone.
type atServer struct {
	fwk.Handle
	clients kubernetes.Interface
}

func (a *atServer) ClientSet() kubernetes.Interface { return a.clients }
func (a *atServer) ProfileName() string             { return "default-scheduler" }

// refusing are clients whose patches and deletions of pods are answered with these errors.
func refusing(patched, deleted error) kubernetes.Interface {
	clients := fake.NewClientset()
	answer := func(verb string, err error) {
		clients.PrependReactor(verb, "pods", func(clienttesting.Action) (bool, runtime.Object, error) { return true, &v1.Pod{}, err })
	}
	answer("patch", patched)
	answer("delete", deleted)
	return clients
}

func TestAnEvictionOfAPodThatIsGoneIsDone(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	// As ValidateObjectMetaUpdate says it of a patch with the uid of an earlier pod of that name.
	immutable := field.ErrorList{field.Invalid(field.NewPath("metadata", "uid"), "uid-v", "field is immutable")}
	other := field.ErrorList{field.Invalid(field.NewPath("metadata", "labels"), "?", "no label")}
	kind := schema.GroupKind{Kind: "Pod"}
	gone, another := apierrors.NewNotFound(pods, "v"), apierrors.NewInvalid(kind, "v", immutable)
	otherwise := apierrors.NewConflict(pods, "v", errors.New("the UID in the precondition is another one"))
	invalid, forbidden := apierrors.NewInvalid(kind, "v", other), apierrors.NewForbidden(pods, "v", nil)
	marks := [][]wire.Mark{nil, {{Place: "label", Key: "k", Value: "v"}}}
	for _, c := range []struct {
		patched, deleted error
		done             bool
	}{{nil, nil, true}, {gone, gone, true}, {another, otherwise, true}, {nil, gone, true}, {invalid, nil, false}, {forbidden, nil, false}, {nil, forbidden, false}} {
		for _, marks := range marks {
			p := &Plugin{handle: &atServer{clients: refusing(c.patched, c.deleted)}}
			order := wire.Order{Action: wire.Evict, Object: victimNamed("v"), Delete: true, Marks: marks}
			if err := p.evict(t.Context(), order); (err == nil) != c.done {
				t.Errorf("patched: %v, deleted: %v, marks %d: %v", c.patched, c.deleted, len(marks), err)
			}
		}
	}
	// A victim that another controller deletes is marked, and not deleted.
	clients := refusing(nil, nil)
	p := &Plugin{handle: &atServer{clients: clients}}
	if err := p.evict(t.Context(), wire.Order{Action: wire.Evict, Object: victimNamed("v"), Marks: marks[1]}); err != nil {
		t.Error(err)
	}
	isDeletion := func(action clienttesting.Action) bool { return action.GetVerb() == "delete" }
	if slices.ContainsFunc(clients.(*fake.Clientset).Actions(), isDeletion) {
		t.Error("it was deleted")
	}
}
