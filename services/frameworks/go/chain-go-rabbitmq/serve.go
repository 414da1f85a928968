package main

import (
	"context"
	"encoding/json"
	"log"

	amqp "github.com/rabbitmq/amqp091-go"
)

// serve begins to answer messages from the queue, one after another.
func serve(connection *amqp.Connection, queue string, own *service) error {
	channel, err := connection.Channel()
	if err != nil {
		return err
	}
	if _, err := channel.QueueDeclare(queue, false, false, false, false, nil); err != nil {
		return err
	}
	if err := channel.Qos(1, 0, false); err != nil {
		return err
	}
	deliveries, err := channel.Consume(queue, "", false, false, false, false, nil)
	if err != nil {
		return err
	}
	go func() {
		for delivery := range deliveries {
			if err := answer(channel, delivery, own); err != nil {
				log.Print(err)
			}
		}
		log.Fatal("the broker has ended the queue ", queue)
	}()
	return nil
}

// answer always replies, because the caller waits. A message that failed has no stamps.
func answer(channel *amqp.Channel, delivery amqp.Delivery, own *service) error {
	var message Message
	result := &Answer{}
	if err := json.Unmarshal(delivery.Body, &message); err != nil {
		log.Print(err)
	} else if passed, err := own.pass(context.Background(), message); err != nil {
		log.Print(err)
	} else {
		result = passed
	}
	body, err := json.Marshal(result)
	if err != nil {
		return err
	}
	reply := amqp.Publishing{
		ContentType: "application/json", CorrelationId: delivery.CorrelationId, Body: body,
	}
	if err := channel.Publish("", delivery.ReplyTo, false, false, reply); err != nil {
		return err
	}
	return delivery.Ack(false)
}
