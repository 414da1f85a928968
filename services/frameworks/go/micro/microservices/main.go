// A gateway on Go Micro's web package and the RPC services behind it, which find each other in
// etcd. PART names the service of this process.
package main

import (
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go-micro.dev/v5"
	"go-micro.dev/v5/client"
	"go-micro.dev/v5/registry"
	"go-micro.dev/v5/registry/etcd"
	"go-micro.dev/v5/web"
)

func newRegistry() registry.Registry {
	address, err := url.Parse(os.Getenv("ETCD_URL"))
	if err != nil {
		log.Fatal(err)
	}
	return etcd.NewEtcdRegistry(registry.Addrs(address.Host))
}

func runPeer(name string, handler any) error {
	service := micro.NewService(
		micro.Name(name),
		micro.Address(net.JoinHostPort("127.0.0.1", os.Getenv("RPC_PORT"))),
		micro.Registry(newRegistry()),
		micro.AfterStart(func() error {
			listener, err := net.Listen("tcp", address())
			if err != nil {
				return err
			}
			http.HandleFunc("GET /health", healthy)
			go http.Serve(listener, nil)
			return nil
		}),
	)
	if err := service.Handle(handler); err != nil {
		return err
	}
	return service.Run()
}

func runGateway() error {
	services := micro.NewService(micro.Registry(newRegistry()))
	caller := services.Client()
	if err := caller.Init(client.PoolSize(keptConnections)); err != nil {
		return err
	}
	gateway := &Gateway{client: caller}
	service := web.NewService(
		web.Name("gateway"),
		web.Address(address()),
		web.Advertise(net.JoinHostPort("127.0.0.1", os.Getenv("PORT"))),
		web.MicroService(services),
	)
	service.HandleFunc("GET /gateway", gateway.Greet)
	service.Handle("GET /universities", authorised(http.HandlerFunc(gateway.FindUniversities)))
	service.HandleFunc("GET /health", gateway.Health)
	return service.Run()
}

func address() string {
	return net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))
}

func run() error {
	switch os.Getenv("PART") {
	case "hello":
		return runPeer("hello", new(Hello))
	case "universities":
		return runPeer("universities", new(Universities))
	default:
		return runGateway()
	}
}

// endInTime ends the process within the second that the contract allows. Otherwise, services wait
// five seconds for a registry that has already stopped.
func endInTime() {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	<-terminated
	time.Sleep(900 * time.Millisecond)
	os.Exit(0)
}

func main() {
	go endInTime()
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
