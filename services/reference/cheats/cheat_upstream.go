package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
)

var upstreamCheats = map[string]func(s *service){
	"upstream-one-answer":       upstreamBy(always, answerFirst()),
	"upstream-one-answer-later": upstreamBy(after(someRequests), answerFirst()),
	"upstream-invented":         upstreamBy(inCrowd, invent),
	"upstream-mostly-invented":  upstreamBy(mostly, invent),
	"upstream-half-an-answer":   upstreamBy(afterWarmUp, answerHalf),
	"upstream-empty":            upstreamBy(after(someRequests), answerText("")),
	"upstream-kept-answers":     upstreamBy(always, answerKept(false)),
	"upstream-kept-but-called":  upstreamBy(always, answerKept(true)),
	"upstream-early-on-repeat":  upstreamBy(after(someRequests), answerKept(true)),
	"upstream-called-twice":     upstreamBy(after(someRequests), callTwice),
	"upstream-hides-failures":   upstreamBy(always, hideFailure),
}

func upstreamBy(isDue trigger, cheat http.HandlerFunc) func(s *service) {
	return func(s *service) { s.upstream = s.when(isDue, cheat, forwardUpstream) }
}

// answerFirst gives all requests the answer to the first one.
func answerFirst() http.HandlerFunc {
	var kept atomic.Pointer[[]byte]
	return func(w http.ResponseWriter, r *http.Request) {
		if body := kept.Load(); body != nil {
			sendText(w, *body)
			return
		}
		body, err := callUpstream(r.URL.Query().Get("nonce"))
		if err != nil {
			fail(w, err)
			return
		}
		kept.Store(&body)
		sendText(w, body)
	}
}

func invent(w http.ResponseWriter, _ *http.Request) {
	sendText(w, fmt.Appendf(nil, "%016x", rand.Uint64()))
}

func answerHalf(w http.ResponseWriter, r *http.Request) {
	body, err := callUpstream(r.URL.Query().Get("nonce"))
	if err != nil {
		fail(w, err)
		return
	}
	sendText(w, body[:len(body)/2])
}

// answerKept keeps the answer for each nonce. It calls the upstream again for nothing if the number
// of calls must stay right.
func answerKept(isCalled bool) http.HandlerFunc {
	var answers sync.Map // nonce to body
	return func(w http.ResponseWriter, r *http.Request) {
		nonce := r.URL.Query().Get("nonce")
		if body, isKnown := answers.Load(nonce); isKnown {
			if isCalled {
				go callUpstream(nonce)
			}
			sendText(w, body.([]byte))
			return
		}
		body, err := callUpstream(nonce)
		if err != nil {
			fail(w, err)
			return
		}
		answers.Store(nonce, body)
		sendText(w, body)
	}
}

// callTwice forwards the faster of two answers.
func callTwice(w http.ResponseWriter, r *http.Request) {
	nonce := r.URL.Query().Get("nonce")
	bodies := make(chan []byte, 2)
	for range 2 {
		go func() {
			body, _ := callUpstream(nonce)
			bodies <- body
		}()
	}
	sendText(w, <-bodies)
}

func hideFailure(w http.ResponseWriter, r *http.Request) {
	body, err := callUpstream(r.URL.Query().Get("nonce"))
	if err != nil {
		body = []byte("0123456789abcdef")
	}
	sendText(w, body)
}
