// A service under test that uses only Go's standard library.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
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
	if err != nil {
		log.Print(err)
		http.Error(w, "upstream failed", http.StatusBadGateway)
		return
	}
	sendText(w, body)
}

func main() {
	http.HandleFunc("GET /hello", hello)
	http.HandleFunc("GET /{$}", forwardUpstream)
	http.HandleFunc("GET /cars", getCars)
	http.HandleFunc("GET /articles/{size}", getArticles)
	http.HandleFunc("POST /articles", answerArticles)
	http.HandleFunc("GET /health", health)

	server := &http.Server{Addr: net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))}
	terminated, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	context.AfterFunc(terminated, func() { server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}
