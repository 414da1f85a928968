// A service under test on Go Micro's web package.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"

	"go-micro.dev/v5/registry"
	"go-micro.dev/v5/web"
)

// The contract requires that connections stay open for the next call. Go keeps 2 by default.
const keptConnections = 1000

func sendText(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "text/plain")
	w.Write(body)
}

func sendJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(value); err != nil {
		log.Print(err)
	}
}

func hello(w http.ResponseWriter, _ *http.Request) {
	sendText(w, []byte("Hello World!"))
}

func health(w http.ResponseWriter, _ *http.Request) {
	sendText(w, []byte("ok"))
}

func forwardUpstream(w http.ResponseWriter, r *http.Request) {
	body, err := callUpstream(r.URL.Query().Get("nonce"))
	if err != nil {
		log.Print(err)
		http.Error(w, "upstream failed", http.StatusBadGateway)
		return
	}
	sendText(w, body)
}

// callUpstream returns the body of the upstream's response. A status other than 200 is an error.
func callUpstream(nonce string) ([]byte, error) {
	response, err := http.Get(os.Getenv("UPSTREAM_URL") + "/?nonce=" + url.QueryEscape(nonce))
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the upstream answered %s", response.Status)
	}
	return io.ReadAll(response.Body)
}

func main() {
	transport := http.DefaultTransport.(*http.Transport)
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = keptConnections, keptConnections

	service := web.NewService(
		web.Name("tacho"),
		web.Address(net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))),
		// No other service needs to discover this service. The default registry uses multicast.
		web.Registry(registry.NewMemoryRegistry()),
	)
	service.HandleFunc("GET /hello", hello)
	service.HandleFunc("GET /{$}", forwardUpstream)
	service.HandleFunc("GET /cars", getCars)
	service.HandleFunc("GET /articles/{size}", getArticles)
	service.HandleFunc("POST /articles", answerArticles)
	service.HandleFunc("GET /health", health)
	if err := service.Run(); err != nil {
		log.Fatal(err)
	}
}
