// One of six services in a line that call each other by grpc-go. PART names it.
package main

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"tacho.local/chain-go-grpc/chain"
)

var nextParts = map[string]string{
	"": "second", "second": "third", "third": "fourth", "fourth": "fifth", "fifth": "sixth",
}

// newNext is the client of the next service, nil in the last.
func newNext(part string) chain.ChainClient {
	next, found := nextParts[part]
	if !found {
		return nil
	}
	port := os.Getenv(strings.ToUpper(next) + "_RPC_PORT")
	connection, err := grpc.NewClient(
		net.JoinHostPort("127.0.0.1", port),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
	)
	if err != nil {
		log.Fatal(err)
	}
	return chain.NewChainClient(connection)
}

// serveRPC listens before it returns, so a ready service can be called.
func serveRPC(own *service) *grpc.Server {
	listener, err := net.Listen("tcp", net.JoinHostPort(os.Getenv("HOST"), os.Getenv("RPC_PORT")))
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	chain.RegisterChainServer(server, own)
	go func() {
		if err := server.Serve(listener); err != nil {
			log.Fatal(err)
		}
	}()
	return server
}

func health(w http.ResponseWriter, _ *http.Request) {
	w.Write([]byte("ok"))
}

func main() {
	part := os.Getenv("PART")
	own := &service{stepper: newStepper(os.Getenv("STEP_KEY")), next: newNext(part)}
	http.HandleFunc("GET /health", health)
	stopRPC := func() {}
	if part == "" {
		http.HandleFunc("POST /chain", own.takeLoad)
	} else {
		stopRPC = serveRPC(own).Stop
	}

	server := &http.Server{Addr: net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))}
	terminated, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	context.AfterFunc(terminated, func() { stopRPC(); server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}
