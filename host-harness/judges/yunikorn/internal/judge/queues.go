package judge

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/apache/yunikorn-core/pkg/common/configs"
)

// unpackedMost is how long the unpacked value of a ConfigMap may be.
const unpackedMost = 16 << 20

// partitionConfig returns the configuration of the partition `default`, read and checked by the core.
func (c *cluster) partitionConfig() (configs.PartitionConfig, error) {
	text, err := c.queuesText()
	if err != nil {
		return configs.PartitionConfig{}, err
	}
	config, err := configs.LoadSchedulerConfigFromByteArray([]byte(text))
	if err != nil {
		return configs.PartitionConfig{}, fmt.Errorf("the queues: %w", err)
	}
	at := slices.IndexFunc(config.Partitions, func(p configs.PartitionConfig) bool { return p.Name == "default" })
	if at < 0 {
		return configs.PartitionConfig{}, fmt.Errorf("the queues have no partition `default`")
	}
	return config.Partitions[at], nil
}

// queuesText returns queues.yaml of the two ConfigMaps of yunikorn-k8shim. Without it, the core has one queue for each namespace.
func (c *cluster) queuesText() (string, error) {
	values := map[string]string{}
	for _, name := range []string{"yunikorn-defaults", "yunikorn-configs"} {
		of, err := valuesOf(c.configMap(name))
		if err != nil {
			return "", err
		}
		maps.Copy(values, of)
	}
	key := cmp.Or(values["service.policyGroup"], "queues") + ".yaml"
	return cmp.Or(values[key], configs.DefaultSchedulerConfig), nil
}

// configMap returns the ConfigMap of this name in namespace yunikorn, or else in the first namespace that has one; nil: there is none.
func (c *cluster) configMap(name string) *v1.ConfigMap {
	var found *v1.ConfigMap
	for _, it := range c.maps {
		if it.Name != name || found != nil && found.Namespace == "yunikorn" {
			continue
		}
		if found == nil || it.Namespace == "yunikorn" || it.Namespace < found.Namespace {
			found = it
		}
	}
	return found
}

func valuesOf(configMap *v1.ConfigMap) (map[string]string, error) {
	if configMap == nil {
		return nil, nil
	}
	values := maps.Clone(configMap.Data)
	if values == nil {
		values = map[string]string{}
	}
	for name, packed := range configMap.BinaryData {
		plain, isPacked := strings.CutSuffix(name, ".gz")
		if !isPacked {
			continue
		}
		reader, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return nil, fmt.Errorf("%s of ConfigMap %s: %w", name, configMap.Name, err)
		}
		text, err := io.ReadAll(io.LimitReader(reader, unpackedMost))
		if err != nil {
			return nil, fmt.Errorf("%s of ConfigMap %s: %w", name, configMap.Name, err)
		}
		values[plain] = string(text)
	}
	return values, nil
}
