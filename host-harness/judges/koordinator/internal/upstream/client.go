package upstream

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	quotaclient "github.com/koordinator-sh/koordinator/apis/thirdparty/scheduler-plugins/pkg/generated/clientset/versioned"
	koordinatorclient "github.com/koordinator-sh/koordinator/pkg/client/clientset/versioned"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// server takes the place of an API server: it records the pods that are deleted, and says yes to changes of the status of pods. Upstream
// reads nothing from it.
type server struct {
	// deleted has namespace/name of the pods, in the order of the calls.
	deleted []string
}

// api answers the calls of the clients. A judge answers one request at a time, so that the clients are made once: each costs more than
// the answer to a small request.
var api = &server{}

var (
	configuration = &rest.Config{Host: "http://localhost", Transport: api, QPS: -1}
	client        = kubernetes.NewForConfigOrDie(configuration)
	quotas        = quotaclient.NewForConfigOrDie(configuration)
	reservations  = koordinatorclient.NewForConfigOrDie(configuration)
)

// RoundTrip answers a call by the path of a pod; all other calls fail.
func (s *server) RoundTrip(request *http.Request) (*http.Response, error) {
	parts := strings.Split(strings.TrimPrefix(request.URL.Path, "/api/v1/namespaces/"), "/")
	switch {
	case len(parts) == 3 && parts[1] == "pods" && request.Method == http.MethodDelete:
		s.deleted = append(s.deleted, parts[0]+"/"+parts[2])
	case len(parts) == 4 && parts[1] == "pods" && parts[3] == "status" && request.Method == http.MethodPatch:
	default:
		return nil, errors.New("a judge has no API server: " + request.Method + " " + request.URL.Path)
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Request: request,
		Header: http.Header{"Content-Type": []string{"application/json"}},
		Body:   io.NopCloser(strings.NewReader(`{"apiVersion":"v1","kind":"Pod"}`)),
	}, nil
}

// take returns the pods that were deleted since the last call, sorted.
func (s *server) take() []string {
	deleted := s.deleted
	s.deleted = nil
	slices.Sort(deleted)
	return deleted
}
