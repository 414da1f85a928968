package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
)

var gatewayCheats = map[string]func(s *service){
	"gateway-alone":            gatewayBy(always, greetAlone()),
	"gateway-alone-in-a-crowd": gatewayBy(inCrowd, greetAlone()),
	"gateway-one-greeting":     gatewayBy(after(manyRequests), forwardFirst()),
	"gateway-kept-greetings":   gatewayBy(always, forwardKept()),
	"gateway-no-signature":     gatewayBy(afterWarmUp, forwardUnsigned),
	"gateway-knows-the-key":    shareKey,
	"gateway-no-content":       gatewayBy(after(manyRequests), answerStatus(http.StatusNoContent)),
}

func gatewayBy(isDue trigger, cheat http.HandlerFunc) func(s *service) {
	return func(s *service) { s.gateway = s.when(isDue, cheat, forwardGreeting) }
}

// greetAlone answers without the hello service, with a key of its own.
func greetAlone() http.HandlerFunc {
	var stamps atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Query().Get("name")
		sendText(w, signGreeting(os.Getenv("SIGNING_KEY"), name, stamps.Add(1)))
	}
}

func forwardFirst() http.HandlerFunc {
	var kept atomic.Pointer[[]byte]
	return func(w http.ResponseWriter, r *http.Request) {
		if body := kept.Load(); body != nil {
			sendText(w, *body)
			return
		}
		body, err := callHello(r.URL.Query().Get("name"))
		if err != nil {
			fail(w, err)
			return
		}
		kept.Store(&body)
		sendText(w, body)
	}
}

func forwardKept() http.HandlerFunc {
	var answers sync.Map // name to body
	return func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Query().Get("name")
		body, isKnown := answers.Load(name)
		if !isKnown {
			fresh, err := callHello(name)
			if err != nil {
				fail(w, err)
				return
			}
			body = fresh
			answers.Store(name, fresh)
		}
		sendText(w, body.([]byte))
	}
}

// forwardUnsigned returns the right words without calling the hello service.
func forwardUnsigned(w http.ResponseWriter, r *http.Request) {
	sendText(w, []byte("Hello "+r.URL.Query().Get("name")+"!"))
}

// shareKey lets the hello service give its key away, so that the gateway can answer alone.
func shareKey(s *service) {
	s.peerRoutes = func(mux *http.ServeMux) {
		mux.HandleFunc("GET /key", func(w http.ResponseWriter, _ *http.Request) {
			sendText(w, fmt.Appendf(nil, "%s %d", os.Getenv("SIGNING_KEY"), greetings.Load()))
		})
	}
	var stamps atomic.Int64
	readKey := sync.OnceValue(func() string {
		var key string
		var count int64
		body, err := get(os.Getenv("HELLO_URL") + "/key")
		if err != nil {
			log.Fatal(err)
		}
		fmt.Sscan(string(body), &key, &count)
		stamps.Store(count)
		return key
	})
	s.gateway = func(w http.ResponseWriter, r *http.Request) {
		key := readKey()
		sendText(w, signGreeting(key, r.URL.Query().Get("name"), stamps.Add(1)))
	}
}
