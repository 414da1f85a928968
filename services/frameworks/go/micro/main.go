// A service under test on Go Micro's web package.
package main

import (
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"go-micro.dev/v5/registry"
	"go-micro.dev/v5/web"
)

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

func forwardUpstream(w http.ResponseWriter, _ *http.Request) {
	answer, err := http.Get(os.Getenv("UPSTREAM_URL"))
	if err != nil {
		log.Print(err)
		http.Error(w, "upstream failed", http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		log.Print("upstream answered ", answer.Status, err)
		http.Error(w, "upstream failed", http.StatusBadGateway)
		return
	}
	sendText(w, body)
}

func main() {
	service := web.NewService(
		web.Name("tacho"),
		web.Address(net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))),
		// No service needs to discover this one. By default it would announce itself by multicast.
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
