package judge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	scheduling "k8s.io/api/scheduling/v1"
)

// A cluster is what the objects of a request say, sorted, in the terms of the core.
type cluster struct {
	nodes []*v1.Node
	// pods are those that are not finished, in the order in which the scheduler saw them first.
	pods    []*pod
	classes map[string]*scheduling.PriorityClass
	maps    []*v1.ConfigMap
}

// readCluster reads the objects. An object that does not have the shape of its kind is an error.
func readCluster(request Request) (*cluster, error) {
	c := &cluster{classes: map[string]*scheduling.PriorityClass{}}
	var pods []*v1.Pod
	for at, raw := range request.Objects {
		var head struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
		}
		if err := json.Unmarshal(raw, &head); err != nil {
			return nil, fmt.Errorf("object %d: %w", at, err)
		}
		var err error
		switch head.APIVersion + "/" + head.Kind {
		case "v1/Node":
			c.nodes, err = readInto(c.nodes, raw)
		case "v1/Pod":
			pods, err = readInto(pods, raw)
		case "v1/ConfigMap":
			c.maps, err = readInto(c.maps, raw)
		case "scheduling.k8s.io/v1/PriorityClass":
			class := &scheduling.PriorityClass{}
			err = json.Unmarshal(raw, class)
			c.classes[class.Name] = class
		}
		if err != nil {
			return nil, fmt.Errorf("object %d, a %s: %w", at, head.Kind, err)
		}
	}
	slices.SortFunc(c.nodes, func(a, b *v1.Node) int { return strings.Compare(a.Name, b.Name) })
	for at := range c.nodes {
		if at > 0 && c.nodes[at].Name == c.nodes[at-1].Name {
			return nil, fmt.Errorf("two nodes are named %s", c.nodes[at].Name)
		}
	}
	return c, c.readPods(request, pods)
}

func readInto[T any](list []*T, raw []byte) ([]*T, error) {
	object := new(T)
	err := json.Unmarshal(raw, object)
	return append(list, object), err
}

func (c *cluster) readPods(request Request, objects []*v1.Pod) error {
	schedulers := request.Arguments.Schedulers
	if len(schedulers) == 0 {
		schedulers = []string{"yunikorn"}
	}
	seen := map[string]bool{}
	for _, object := range objects {
		object.Namespace = cmp.Or(object.Namespace, "default")
		if object.Status.Phase == v1.PodSucceeded || object.Status.Phase == v1.PodFailed {
			continue
		}
		read := c.readPod(object, schedulers)
		if seen[read.key] {
			return fmt.Errorf("two pods are named %s", read.key)
		}
		seen[read.key] = true
		at, known := request.Entered[read.key]
		switch {
		case known:
			read.entered = at
		case read.node != "":
			read.entered = math.Inf(-1)
		default:
			read.entered = float64(object.CreationTimestamp.UnixNano()) / float64(time.Second)
			if object.CreationTimestamp.IsZero() {
				read.entered = 0
			}
		}
		c.pods = append(c.pods, read)
	}
	places := map[string]int{}
	for at, key := range request.Order {
		places[key] = at - len(request.Order)
	}
	slices.SortFunc(c.pods, func(a, b *pod) int {
		return cmp.Or(cmp.Compare(places[a.key], places[b.key]), cmp.Compare(a.entered, b.entered), cmp.Compare(a.created, b.created),
			strings.Compare(a.key, b.key))
	})
	c.nameOriginators(request.WithoutOriginator)
	return nil
}

// nameOriginators makes the first pod of each application its originator, except in these applications, whose originator is gone. A placeholder is never
// one.
func (c *cluster) nameOriginators(except []string) {
	have := map[string]bool{}
	for _, app := range except {
		have[app] = true
	}
	for _, p := range c.pods {
		if p.isOurs && !p.isPlaceholder && !have[p.app] {
			p.isOriginator, have[p.app] = true, true
		}
	}
}

// find returns the pod of this namespace and name; nil: there is none.
func (c *cluster) find(key string) *pod {
	at := slices.IndexFunc(c.pods, func(p *pod) bool { return p.key == key })
	if at < 0 {
		return nil
	}
	return c.pods[at]
}
