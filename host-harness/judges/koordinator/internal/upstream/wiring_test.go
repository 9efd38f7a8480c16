package upstream

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	quotaclient "github.com/koordinator-sh/koordinator/apis/thirdparty/scheduler-plugins/pkg/generated/clientset/versioned"
	"github.com/koordinator-sh/koordinator/apis/thirdparty/scheduler-plugins/pkg/generated/clientset/versioned/fake"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/frameworkext"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/elasticquota"

	"lictor.dev/judges/koordinator/internal/cluster"
)

// objects are a cluster with a tree of quotas and pods in it, in the default quota, and by namespace.
const objects = `[
	{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"20","memory":"8Gi","pods":"110"}}},
	{"apiVersion":"scheduling.sigs.k8s.io/v1alpha1","kind":"ElasticQuota","metadata":{"name":"p","labels":{"quota.scheduling.koordinator.sh/is-parent":"true"}},
		"spec":{"min":{"cpu":"6"},"max":{"cpu":"12"}}},
	{"apiVersion":"scheduling.sigs.k8s.io/v1alpha1","kind":"ElasticQuota","metadata":{"name":"c","labels":{"quota.scheduling.koordinator.sh/parent":"p"}},
		"spec":{"min":{"cpu":"2"},"max":{"cpu":"12","memory":"2Gi"}}},
	{"apiVersion":"scheduling.sigs.k8s.io/v1alpha1","kind":"ElasticQuota","metadata":{"name":"q","annotations":{"quota.scheduling.koordinator.sh/namespaces":"[\"s\"]"}},
		"spec":{"min":{"cpu":"16"},"max":{"cpu":"16"}}},
	{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","labels":{"quota.scheduling.koordinator.sh/name":"c"}},
		"spec":{"nodeName":"n1","containers":[{"name":"c","resources":{"requests":{"cpu":"3","memory":"1Gi"}}}]}},
	{"apiVersion":"v1","kind":"Pod","metadata":{"name":"b","labels":{"quota.scheduling.koordinator.sh/name":"c","quota.scheduling.koordinator.sh/preemptible":"false"}},
		"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"9"}}}]}},
	{"apiVersion":"v1","kind":"Pod","metadata":{"name":"d","namespace":"s"},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"9"}}}]}},
	{"apiVersion":"v1","kind":"Pod","metadata":{"name":"e"},"spec":{"nodeName":"n1","containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}]}}
]`

func observed(t *testing.T) *one {
	t.Helper()
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(objects), &list); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.Read(list, time.Unix(60, 0), nil)
	if err != nil {
		t.Fatal(err)
	}
	arguments, err := ReadArguments(nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	o, err := observe(ctx, c, arguments)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// upstreamHandle is the handle of a plugin, with a client of quotas, which elasticquota.New takes from it.
type upstreamHandle struct {
	frameworkext.FrameworkExtender
	quotaclient.Interface
}

// The plugin that newQuotaPlugin makes has the accounts of one that elasticquota.New makes of the same cluster, with the quotas that New
// creates. New is slow, because it polls, and leaves goroutines behind.
func TestQuotaPluginIsThatOfNew(t *testing.T) {
	o := observed(t)
	client := fake.NewSimpleClientset()
	for _, quota := range o.cluster.Quotas {
		if err := client.Tracker().Add(quota); err != nil {
			t.Fatal(err)
		}
	}
	made, err := elasticquota.New(o.arguments.quota, upstreamHandle{o.profile, client})
	if err != nil {
		t.Fatal(err)
	}
	summary := func(it *one) string {
		it.settle()
		all := it.quota.GetQuotaSummaries("", true)
		for _, quota := range all {
			quota.RuntimeVersion = 0 // the number of refreshes
		}
		text, err := json.MarshalIndent(all, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	got, want := summary(o), summary(&one{quota: made.(*elasticquota.Plugin)})
	if got != want || len(o.accounts()) != 4 {
		t.Errorf("%s\nnot %s", got, want)
	}
}

// A field that a later version of upstream adds has to be set here too.
func TestEveryFieldOfThePluginsIsSet(t *testing.T) {
	o := observed(t)
	gangs, err := o.newGangPlugin(nil, o.profile)
	if err != nil {
		t.Fatal(err)
	}
	// Trees of quotas are behind a gate that is off.
	empty := []string{"groupQuotaManagersForQuotaTree"}
	for _, plugin := range []any{o.quota, gangs} {
		value := reflect.ValueOf(plugin).Elem()
		for i := range value.NumField() {
			name := value.Type().Field(i).Name
			if value.Field(i).IsZero() && !strings.HasSuffix(name, "Lock") && !slices.Contains(empty, name) {
				t.Errorf("%T.%s is not set", plugin, name)
			}
		}
	}
}

func TestNoFieldOfThatName(t *testing.T) {
	defer func() {
		if cause := recover(); cause != "upstream has no field missing" {
			t.Error(cause)
		}
	}()
	set(&elasticquota.Plugin{}, "missing", 1)
}
