package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"sync/atomic"
)

const signatureDigits = 16

var greetings atomic.Int64

func sign(key, text string) string {
	code := hmac.New(sha256.New, []byte(key))
	code.Write([]byte(text))
	return hex.EncodeToString(code.Sum(nil))[:signatureDigits]
}

// forwardGreeting is the gateway.
func forwardGreeting(w http.ResponseWriter, r *http.Request) {
	body, err := callHello(r.URL.Query().Get("name"))
	if err != nil {
		fail(w, err)
		return
	}
	sendText(w, body)
}

func callHello(name string) ([]byte, error) {
	return get(os.Getenv("HELLO_URL") + "/greeting?name=" + url.QueryEscape(name))
}

// greet is the hello service.
func greet(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Query().Get("name")
	sendText(w, signGreeting(os.Getenv("SIGNING_KEY"), name, greetings.Add(1)))
}

func signGreeting(key, name string, stamp int64) []byte {
	signature := sign(key, fmt.Sprintf("%s %d", name, stamp))
	return fmt.Appendf(nil, "Hello %s! %d %s", name, stamp, signature)
}
