package main

import (
	"errors"
	"net"
	"sync"

	"github.com/valyala/fasthttp"
)

const mostFailures = 1000

// A failure is the way in which the upstream fails for a nonce.
type failure string

const (
	failsWithStatus failure = "status" // answers 503
	failsByClosing  failure = "close"  // closes the connection without an answer
)

// failures holds the nonces for which the upstream fails. Only verify.js adds nonces.
type failures struct {
	byNonce sync.Map // string → failure
	count   int
	adding  sync.Mutex
}

func (f *failures) add(nonce string, how failure) error {
	if !isNonce([]byte(nonce)) {
		return errors.New("nonce is not 16 lower-case hexadecimal digits")
	}
	if how != failsWithStatus && how != failsByClosing {
		return errors.New("how is neither status nor close")
	}
	f.adding.Lock()
	defer f.adding.Unlock()
	if f.count >= mostFailures {
		return errors.New("there are too many failures")
	}
	f.count++
	f.byNonce.Store(nonce, how)
	return nil
}

// apply fails the call if its nonce is one of the failures, and returns whether it did.
func (f *failures) apply(ctx *fasthttp.RequestCtx, nonce []byte) bool {
	how, found := f.byNonce.Load(string(nonce))
	if !found {
		return false
	}
	if how == failsWithStatus {
		ctx.Error("the upstream fails", fasthttp.StatusServiceUnavailable)
		return true
	}
	// The server closes a hijacked connection when this function returns.
	ctx.HijackSetNoResponse(true)
	ctx.Hijack(func(net.Conn) {})
	return true
}
