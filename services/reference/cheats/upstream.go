package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
)

func forwardUpstream(w http.ResponseWriter, r *http.Request) {
	body, err := callUpstream(r.URL.Query().Get("nonce"))
	if err != nil {
		fail(w, err)
		return
	}
	sendText(w, body)
}

func callUpstream(nonce string) ([]byte, error) {
	return get(os.Getenv("UPSTREAM_URL") + "/?nonce=" + url.QueryEscape(nonce))
}

// get returns the body of an answer with status 200.
func get(address string) ([]byte, error) {
	answer, err := http.Get(address)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %s", address, answer.Status)
	}
	return body, err
}
