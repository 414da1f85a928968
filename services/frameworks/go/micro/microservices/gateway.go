package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/golang-jwt/jwt/v5/request"
	"go-micro.dev/v5/client"
)

const patience = time.Minute

// The contract requires that connections stay open for the next call. Go Micro keeps 100 by default.
const keptConnections = 1000

type Gateway struct {
	client client.Client
}

// call calls an RPC service that is in the registry.
func (g *Gateway) call(r *http.Request, service, endpoint string, query, answer any) error {
	call := g.client.NewRequest(service, endpoint, query, client.WithContentType("application/json"))
	return g.client.Call(r.Context(), call, answer, patiently)
}

// patiently raises the limits of 30 s for a call and 5 s for each attempt. A call that reached the
// latter would be sent again.
func patiently(options *client.CallOptions) {
	options.RequestTimeout = patience
	options.ConnectionTimeout = patience
}

func (g *Gateway) Greet(w http.ResponseWriter, r *http.Request) {
	var answer GreetResponse
	query := &GreetRequest{Name: r.URL.Query().Get("name")}
	if err := g.call(r, "hello", "Hello.Greet", query, &answer); err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	w.Write([]byte(answer.Message))
}

func (g *Gateway) FindUniversities(w http.ResponseWriter, r *http.Request) {
	var answer FindResponse
	parameters := r.URL.Query()
	query := &FindRequest{Country: parameters.Get("country"), Nonce: parameters.Get("nonce")}
	if err := g.call(r, "universities", "Universities.Find", query, &answer); err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(&answer); err != nil {
		log.Print(err)
	}
}

// The service is healthy once the registry holds all peers.
func (g *Gateway) Health(w http.ResponseWriter, r *http.Request) {
	for _, peer := range []string{"hello", "universities"} {
		if os.Getenv(strings.ToUpper(peer)+"_URL") == "" {
			continue
		}
		if _, err := g.client.Options().Selector.Select(peer); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
	}
	healthy(w, r)
}

func healthy(w http.ResponseWriter, _ *http.Request) {
	w.Write([]byte("ok"))
}

func fail(w http.ResponseWriter, err error) {
	log.Print(err)
	http.Error(w, "the service behind failed", http.StatusBadGateway)
}

// authorised accepts requests that carry a token signed with JWT_SECRET.
func authorised(next http.Handler) http.Handler {
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"HS256"}), jwt.WithExpirationRequired())
	key := func(*jwt.Token) (any, error) { return []byte(os.Getenv("JWT_SECRET")), nil }
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := request.ParseFromRequest(r, request.BearerExtractor{}, key, request.WithParser(parser))
		if err != nil {
			http.Error(w, "unauthorised", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
