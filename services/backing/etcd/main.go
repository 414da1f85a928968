// A service registry for frameworks that need one: a single etcd member on PORT.
//
// etcd answers gRPC and GET /health on the same port. It stores its data in a temporary folder.
package main

import (
	"cmp"
	"log"
	"net"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/storage/wal"
)

const segmentBytes = 1 << 20

func addressOf(host, port string) url.URL {
	return url.URL{Scheme: "http", Host: net.JoinHostPort(host, port)}
}

func configure() (*embed.Config, error) {
	folder, err := os.MkdirTemp("", "etcd")
	if err != nil {
		return nil, err
	}
	// Each segment is allocated whole beforehand: 64 MB by default, of memory where /tmp is a tmpfs.
	wal.SegmentSizeBytes = segmentBytes
	port := os.Getenv("PORT")
	config := embed.NewConfig()
	config.Dir = folder
	config.UnsafeNoFsync = true
	config.LogLevel = "warn"
	config.ListenClientUrls = []url.URL{addressOf(cmp.Or(os.Getenv("HOST"), "0.0.0.0"), port)}
	config.AdvertiseClientUrls = []url.URL{addressOf("127.0.0.1", port)}
	// There are no other members; any free port will do.
	config.ListenPeerUrls = []url.URL{addressOf("127.0.0.1", "0")}
	config.AdvertisePeerUrls = config.ListenPeerUrls
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	return config, nil
}

func main() {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	config, err := configure()
	if err != nil {
		log.Fatal(err)
	}
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		log.Fatal(err)
	}
	select {
	case <-terminated:
		os.Exit(0)
	case err := <-etcd.Err():
		log.Fatal(err)
	}
}
