// One of six services in a line; uses only Go's standard library. PART names it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// The contract requires that connections stay open for the next call. Go keeps 2 by default.
const keptConnections = 1000

var nextParts = map[string]string{
	"": "second", "second": "third", "third": "fourth", "fourth": "fifth", "fifth": "sixth",
}

// service is one of the six; nextURL is empty in the last.
type service struct {
	stepper *stepper
	nextURL string
}

func (s *service) pass(w http.ResponseWriter, r *http.Request) {
	message := Message{Number: -1}
	if err := json.NewDecoder(r.Body).Decode(&message); err != nil || !message.isValid() {
		http.Error(w, "no message", http.StatusBadRequest)
		return
	}
	stepped, stamp := s.stepper.step(message)
	answer := Answer{}
	if s.nextURL == "" {
		answer = s.stepper.cut(stepped)
	} else if err := s.callNext(stepped, &answer); err != nil {
		log.Print(err)
		http.Error(w, "the next service failed", http.StatusBadGateway)
		return
	}
	answer.Stamps = append([]int64{stamp}, answer.Stamps...)
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		log.Print(err)
	}
}

func (s *service) callNext(message Message, answer *Answer) error {
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	response, err := http.Post(s.nextURL+"/chain", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", s.nextURL, response.Status)
	}
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	return json.Unmarshal(content, answer)
}

func health(w http.ResponseWriter, _ *http.Request) {
	w.Write([]byte("ok"))
}

func main() {
	transport := http.DefaultTransport.(*http.Transport)
	transport.MaxIdleConns, transport.MaxIdleConnsPerHost = keptConnections, keptConnections

	next := nextParts[os.Getenv("PART")]
	chain := &service{
		stepper: newStepper(os.Getenv("STEP_KEY")),
		nextURL: os.Getenv(strings.ToUpper(next) + "_URL"),
	}
	http.HandleFunc("POST /chain", chain.pass)
	http.HandleFunc("GET /health", health)

	server := &http.Server{Addr: net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))}
	terminated, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	context.AfterFunc(terminated, func() { server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}
