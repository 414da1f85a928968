// One of six services in a line that call each other over RabbitMQ. PART names it.
package main

import (
	"context"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	amqp "github.com/rabbitmq/amqp091-go"
)

var nextParts = map[string]string{
	"": "second", "second": "third", "third": "fourth", "fourth": "fifth", "fifth": "sixth",
}

func newService(connection *amqp.Connection, part string) (*service, error) {
	own := &service{stepper: newStepper(os.Getenv("STEP_KEY"))}
	queue, found := nextParts[part]
	if !found {
		return own, nil
	}
	next, err := newNextService(connection, queue)
	own.next = next
	return own, err
}

func health(w http.ResponseWriter, _ *http.Request) {
	w.Write([]byte("ok"))
}

func main() {
	part := os.Getenv("PART")
	connection, err := amqp.Dial(os.Getenv("RABBITMQ_URL"))
	if err != nil {
		log.Fatal(err)
	}
	own, err := newService(connection, part)
	if err != nil {
		log.Fatal(err)
	}
	if part == "" {
		http.HandleFunc("POST /chain", own.takeLoad)
	} else if err := serve(connection, part, own); err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /health", health)

	server := &http.Server{Addr: net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))}
	terminated, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	context.AfterFunc(terminated, func() { server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}
