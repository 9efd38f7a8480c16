package main

import (
	"fmt"
	"net/url"

	"go.etcd.io/etcd/server/v3/embed"
)

// runEtcd serves etcd, of one member, until it fails. Its arguments are its data folder, the URL for clients and the one for peers.
func runEtcd(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("etcd needs a data folder and two URLs, got %d arguments", len(args))
	}
	client, err := url.Parse(args[1])
	if err != nil {
		return err
	}
	peer, err := url.Parse(args[2])
	if err != nil {
		return err
	}
	config := embed.NewConfig()
	config.Dir = args[0]
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{*client}, []url.URL{*client}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	// Nothing has to outlive the machine, so no write waits for the disk.
	config.UnsafeNoFsync = true
	config.LogLevel = "error"
	// A member of one has nobody to wait for.
	config.TickMs, config.ElectionMs = 10, 100
	server, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	defer server.Close()
	return <-server.Err()
}
