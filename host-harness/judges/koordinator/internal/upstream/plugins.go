package upstream

import (
	"github.com/koordinator-sh/koordinator/apis/extension"
	"github.com/koordinator-sh/koordinator/apis/thirdparty/scheduler-plugins/pkg/apis/scheduling/v1alpha1"
	quotalisters "github.com/koordinator-sh/koordinator/apis/thirdparty/scheduler-plugins/pkg/generated/listers/scheduling/v1alpha1"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/frameworkext"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/frameworkext/helper"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/frameworkext/networktopology"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/coscheduling"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/coscheduling/core"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/deviceshare"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/elasticquota"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/nodenumaresource"
	"github.com/koordinator-sh/koordinator/pkg/util/transformer"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"lictor.dev/judges/koordinator/internal/informed"
	kubeinformed "lictor.dev/judges/kube/informed"
)

// extenders is what a FrameworkExtenderFactory is copied from. It is made once, because it starts two goroutines that never end.
var extenders = func() *frameworkext.FrameworkExtenderFactory {
	factory, err := frameworkext.NewFrameworkExtenderFactory()
	if err != nil {
		panic(err)
	}
	return factory
}()

// newExtenders makes a factory of extended frameworks for one scheduler.
func newExtenders() *frameworkext.FrameworkExtenderFactory {
	factory := *extenders
	informers := informed.NewKoordinator()
	set(&factory, "profiles", map[string]frameworkext.FrameworkExtender{})
	set(&factory, "koordinatorSharedInformerFactory", informers)
	// It knows no topology, as without the flag --enable-network-topology-manager.
	set(&factory, "networkTopologyTreeManager", networktopology.NewTreeManager(informers, nil, reservations))
	// Controllers act by the clock, beside the attempts.
	set(&factory, "controllerMaps", (*frameworkext.ControllersMap)(nil))
	return &factory
}

// registry returns the plugins of Koordinator, made as koord-scheduler makes them: with an extended framework for a handle; and the planner.
func (o *one) registry() frameworkruntime.Registry {
	extended := func(factory frameworkruntime.PluginFactory) frameworkruntime.PluginFactory {
		return func(arguments runtime.Object, handle framework.Handle) (framework.Plugin, error) {
			if o.watched == nil {
				o.watched = &watched{Framework: handle.(framework.Framework), rejected: map[string]string{}}
			}
			return frameworkext.PluginFactoryProxy(o.extenders, factory)(arguments, o.watched)
		}
	}
	return frameworkruntime.Registry{
		elasticquota.Name: extended(o.newQuotaPlugin), coscheduling.Name: extended(o.newGangPlugin),
		nodenumaresource.Name: extended(o.newNUMAPlugin), deviceshare.Name: extended(o.newDevicePlugin),
		plannerName: func(runtime.Object, framework.Handle) (framework.Plugin, error) { return o.planner, nil },
	}
}

// newQuotaPlugin makes the plugin ElasticQuota as elasticquota.New does. New itself makes an informer with a reflector that never ends, and
// waits for it by polling, so the fields are set here instead.
func (o *one) newQuotaPlugin(_ runtime.Object, handle framework.Handle) (framework.Plugin, error) {
	informer, err := o.quotaInformer()
	if err != nil {
		return nil, err
	}
	core := handle.SharedInformerFactory().Core().V1()
	plugin := &elasticquota.Plugin{}
	set(plugin, "handle", handle)
	set(plugin, "client", quotas)
	set(plugin, "pluginArgs", o.arguments.quota)
	set(plugin, "podLister", core.Pods().Lister())
	set(plugin, "nodeLister", core.Nodes().Lister())
	set(plugin, "pdbLister", handle.SharedInformerFactory().Policy().V1().PodDisruptionBudgets().Lister())
	set(plugin, "quotaInformer", informer)
	set(plugin, "quotaLister", quotalisters.NewElasticQuotaLister(informer.GetIndexer()))
	if err := plugin.ReplaceQuotas(informer.GetStore().List()); err != nil {
		return nil, err
	}
	nodes := cache.ResourceEventHandlerFuncs{AddFunc: plugin.OnNodeAdd, UpdateFunc: plugin.OnNodeUpdate, DeleteFunc: plugin.OnNodeDelete}
	if _, err := helper.ForceSyncFromInformer(nil, nil, core.Nodes().Informer(), nodes); err != nil {
		return nil, err
	}
	pods := cache.ResourceEventHandlerFuncs{AddFunc: plugin.OnPodAdd, UpdateFunc: plugin.OnPodUpdate, DeleteFunc: plugin.OnPodDelete}
	if _, err := helper.ForceSyncFromInformer(nil, nil, core.Pods().Informer(), pods); err != nil {
		return nil, err
	}
	o.quota = plugin
	return plugin, nil
}

// quotaInformer returns an informer with the quotas of the cluster, and with the three that koord-scheduler creates where they are missing.
func (o *one) quotaInformer() (*kubeinformed.Informer, error) {
	informer := informed.New()
	// The index of elasticquota.New.
	byNamespace := func(object any) ([]string, error) {
		return extension.GetAnnotationQuotaNamespaces(object.(*v1alpha1.ElasticQuota)), nil
	}
	if err := informer.AddIndexers(cache.Indexers{"annotation.namespaces": byNamespace}); err != nil {
		return nil, err
	}
	if err := informer.SetTransform(transformer.TransformElasticQuota); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, quota := range o.cluster.Quotas {
		names[quota.Name] = true
		if err := informer.Put(quota); err != nil {
			return nil, err
		}
	}
	for _, quota := range o.builtIn() {
		if !names[quota.Name] {
			if err := informer.Put(quota); err != nil {
				return nil, err
			}
		}
	}
	return informer, nil
}

// builtIn returns the quotas that koord-scheduler creates when it starts (plugin_helper.go, create...QuotaIfNotPresent).
func (o *one) builtIn() []*v1alpha1.ElasticQuota {
	made := func(name string, labels map[string]string, limit v1.ResourceList) *v1alpha1.ElasticQuota {
		meta := metav1.ObjectMeta{Namespace: o.arguments.quota.QuotaGroupNamespace, Name: name, Labels: labels}
		return &v1alpha1.ElasticQuota{ObjectMeta: meta, Spec: v1alpha1.ElasticQuotaSpec{Max: limit.DeepCopy()}}
	}
	root := map[string]string{extension.LabelQuotaIsParent: "true", extension.LabelAllowLentResource: "false", extension.LabelQuotaParent: ""}
	return []*v1alpha1.ElasticQuota{
		made(extension.RootQuotaName, root, nil),
		made(extension.SystemQuotaName, nil, o.arguments.quota.SystemQuotaGroupMax),
		made(extension.DefaultQuotaName, nil, o.arguments.quota.DefaultQuotaGroupMax),
	}
}

// newGangPlugin makes the plugin Coscheduling as coscheduling.New does, with an informer of PodGroups that no API server feeds.
func (o *one) newGangPlugin(_ runtime.Object, handle framework.Handle) (framework.Plugin, error) {
	extended := handle.(frameworkext.ExtendedHandle)
	o.gangs = core.NewPodGroupManager(handle, o.arguments.gang, quotas, o.groups, handle.SharedInformerFactory(), extended.KoordinatorSharedInformerFactory())
	plugin := &coscheduling.Coscheduling{}
	set(plugin, "args", o.arguments.gang)
	set(plugin, "frameworkHandler", handle)
	set(plugin, "pgClient", quotas)
	set(plugin, "pgInformer", o.groups.Scheduling().V1alpha1().PodGroups())
	set(plugin, "pgMgr", o.gangs)
	return plugin, nil
}
