package main

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"

	amqp "github.com/rabbitmq/amqp091-go"
)

// replyTo makes the broker send replies directly to the requester, without a queue for them.
const replyTo = "amq.rabbitmq.reply-to"

var errClosed = errors.New("the channel to the broker is closed")

// nextService is the next service of the chain, which takes messages from a queue.
type nextService struct {
	channel *amqp.Channel
	queue   string

	mutex   sync.Mutex
	sent    uint64
	waiting map[string]chan []byte // by correlation id; nil once the channel is closed
}

func newNextService(connection *amqp.Connection, queue string) (*nextService, error) {
	channel, err := connection.Channel()
	if err != nil {
		return nil, err
	}
	replies, err := channel.Consume(replyTo, "", true, false, false, false, nil)
	if err != nil {
		return nil, err
	}
	next := &nextService{channel: channel, queue: queue, waiting: map[string]chan []byte{}}
	go next.receive(replies)
	return next, nil
}

func (n *nextService) receive(replies <-chan amqp.Delivery) {
	for reply := range replies {
		n.mutex.Lock()
		waiting, found := n.waiting[reply.CorrelationId]
		delete(n.waiting, reply.CorrelationId)
		n.mutex.Unlock()
		if found {
			waiting <- reply.Body
		}
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	for _, waiting := range n.waiting {
		close(waiting)
	}
	n.waiting = nil
}

// pass sends a message and waits for its reply.
func (n *nextService) pass(ctx context.Context, message Message) (*Answer, error) {
	body, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	id, waiting, err := n.expectReply()
	if err != nil {
		return nil, err
	}
	err = n.channel.PublishWithContext(ctx, "", n.queue, false, false, amqp.Publishing{
		ContentType: "application/json", CorrelationId: id, ReplyTo: replyTo, Body: body,
	})
	if err != nil {
		return nil, err
	}
	reply, isOpen := <-waiting
	if !isOpen {
		return nil, errClosed
	}
	answer := &Answer{}
	if err := json.Unmarshal(reply, answer); err != nil {
		return nil, err
	}
	if len(answer.Stamps) == 0 {
		return nil, errors.New("the next service failed")
	}
	return answer, nil
}

func (n *nextService) expectReply() (string, <-chan []byte, error) {
	n.mutex.Lock()
	defer n.mutex.Unlock()
	if n.waiting == nil {
		return "", nil, errClosed
	}
	n.sent++
	id := strconv.FormatUint(n.sent, 10)
	waiting := make(chan []byte, 1)
	n.waiting[id] = waiting
	return id, waiting, nil
}
