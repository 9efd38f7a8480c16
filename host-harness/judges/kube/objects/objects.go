// Package objects writes objects and requests for the tests of the judges. The functions are about any type of map, so that a test has one of
// its own, with methods for what is its scheduler's own.
package objects

import "strings"

// With sets fields, by keys and values in turn; a key is a path of two parts with a dot, or one part.
func With[M ~map[string]any](object M, keysAndValues ...any) M {
	for i := 0; i < len(keysAndValues); i += 2 {
		section, field, isPath := strings.Cut(keysAndValues[i].(string), ".")
		if !isPath {
			object[section] = keysAndValues[i+1]
			continue
		}
		if object[section] == nil {
			object[section] = M{}
		}
		object[section].(M)[field] = keysAndValues[i+1]
	}
	return object
}

// Node writes a node of 8Gi and 110 pods.
func Node[M ~map[string]any](name, cpu string) M {
	return M{
		"apiVersion": "v1", "kind": "Node",
		"metadata": M{"name": name, "labels": M{"kubernetes.io/hostname": name}},
		"spec":     M{},
		"status":   M{"allocatable": M{"cpu": cpu, "memory": "8Gi", "pods": "110"}},
	}
}

// Pod writes a pending pod in the namespace default.
func Pod[M ~map[string]any](name string, priority int, cpu string) M {
	return M{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": M{"name": name, "labels": M{"app": name}},
		"spec": M{"priority": priority, "containers": []M{
			{"name": "c", "resources": M{"requests": M{"cpu": cpu}}},
		}},
		"status": M{},
	}
}

// On has a pod run on a node.
func On[M ~map[string]any](pod M, node string) M {
	return With(pod, "spec.nodeName", node, "status.phase", "Running")
}

// Budget writes a budget in the namespace default for the pods with this label.
func Budget[M ~map[string]any](name, app string, allowed int) M {
	return M{
		"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": M{"name": name},
		"spec": M{"selector": M{"matchLabels": M{"app": app}}}, "status": M{"disruptionsAllowed": allowed},
	}
}

// Request writes a request about a pod, given by its name in the namespace default, or by namespace/name.
func Request[M ~map[string]any](about string, objects []M) M {
	if !strings.Contains(about, "/") {
		about = "default/" + about
	}
	return M{"id": 7, "now": "1970-01-01T00:01:03Z", "objects": objects, "pod": about}
}

// Short writes names without the namespace default.
func Short(names []string) string {
	return strings.ReplaceAll(strings.Join(names, " "), "default/", "")
}
