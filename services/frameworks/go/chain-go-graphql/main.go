// One of six services in a line that call each other by GraphQL. PART names it.
package main

import (
	"context"
	_ "embed"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/graph-gophers/graphql-go"
	"github.com/graph-gophers/graphql-go/relay"
)

//go:embed schema.graphql
var schema string

// The contract requires that connections stay open for the next call. Go keeps 2 by default.
const keptConnections = 1000

var nextParts = map[string]string{
	"": "second", "second": "third", "third": "fourth", "fourth": "fifth", "fifth": "sixth",
}

// newNext is nil in the last service.
func newNext(part string) *nextService {
	next, found := nextParts[part]
	if !found {
		return nil
	}
	return &nextService{os.Getenv(strings.ToUpper(next)+"_URL") + "/graphql"}
}

func health(w http.ResponseWriter, _ *http.Request) {
	w.Write([]byte("ok"))
}

func main() {
	transport := http.DefaultTransport.(*http.Transport)
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = keptConnections, keptConnections

	part := os.Getenv("PART")
	own := &service{stepper: newStepper(os.Getenv("STEP_KEY")), next: newNext(part)}
	if part == "" {
		http.HandleFunc("POST /chain", own.takeLoad)
	} else {
		parsed := graphql.MustParseSchema(schema, own, graphql.UseFieldResolvers())
		http.Handle("POST /graphql", &relay.Handler{Schema: parsed})
	}
	http.HandleFunc("GET /health", health)

	server := &http.Server{Addr: net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))}
	terminated, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	context.AfterFunc(terminated, func() { server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}
