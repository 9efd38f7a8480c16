package upstream

import (
	"reflect"
	"unsafe"

	config "github.com/koordinator-sh/koordinator/pkg/scheduler/apis/config"
	configv1 "github.com/koordinator-sh/koordinator/pkg/scheduler/apis/config/v1"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/deviceshare"
	"github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/nodenumaresource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// placement are the plugins that judge what pods demand of NUMA nodes and devices. No object says which of these a node has, so that a pod with
// such a demand is refused, or judged by the sums of nodes.
var placement = []string{nodenumaresource.Name, deviceshare.Name}

// newNUMAPlugin makes the plugin NodeNUMAResource as nodenumaresource.New does, without an informer of NodeResourceTopologies: that one waits for
// an API server.
func (o *one) newNUMAPlugin(_ runtime.Object, handle framework.Handle) (framework.Plugin, error) {
	given, arguments := &configv1.NodeNUMAResourceArgs{}, &config.NodeNUMAResourceArgs{}
	configv1.SetDefaults_NodeNUMAResourceArgs(given)
	if err := configv1.Convert_v1_NodeNUMAResourceArgs_To_config_NodeNUMAResourceArgs(given, arguments, nil); err != nil {
		return nil, err
	}
	topology := nodenumaresource.NewTopologyOptionsManager()
	plugin := &nodenumaresource.Plugin{}
	set(plugin, "handle", handle)
	set(plugin, "pluginArgs", arguments)
	set(plugin, "topologyOptionsManager", topology)
	set(plugin, "resourceManager", nodenumaresource.NewResourceManager(handle, nodenumaresource.GetDefaultNUMAAllocateStrategy(arguments), topology))
	return plugin, nil
}

// newDevicePlugin makes the plugin DeviceShare as deviceshare.New does, with caches that stay empty: New starts a goroutine that never ends.
func (o *one) newDevicePlugin(_ runtime.Object, handle framework.Handle) (framework.Plugin, error) {
	plugin := &deviceshare.Plugin{}
	set(plugin, "handle", handle)
	setEmpty(plugin, "nodeDeviceCache")
	setEmpty(plugin, "gpuSharedResourceTemplatesCache")
	return plugin, nil
}

// setEmpty gives an unexported field that is a pointer a value with nothing in it. It panics as set does.
func setEmpty(object any, name string) {
	field := reflect.ValueOf(object).Elem().FieldByName(name)
	if !field.IsValid() {
		panic("upstream has no field " + name)
	}
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.New(field.Type().Elem()))
}
