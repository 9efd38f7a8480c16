package kubelet

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func TestAPodIsCollectedWhereTheAPIServerHasNoNode(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	for name, test := range map[string]struct {
		node  string
		stays bool
	}{
		"a node that the watch has not shown yet": {"n1", true},
		"a node that is gone":                     {"n2", false},
	} {
		pod := pod(corev1.PodRunning, nil)
		pod.Namespace, pod.Name, pod.UID, pod.Spec.NodeName = "a", "p", "1", test.node
		server := fake.NewClientset(node, pod)
		if err := New(server.CoreV1()).act(t.Context(), pod, collect); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, err := server.CoreV1().Pods("a").Get(t.Context(), "p", metav1.GetOptions{})
		if stays := err == nil; stays != test.stays || (err != nil && !apierrors.IsNotFound(err)) {
			t.Errorf("%s: stays %v, expected %v (%v)", name, stays, test.stays, err)
		}
	}
}
