package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"

	"tacho.local/chain-go-grpc/chain"
)

// service is one of the six; next is nil in the last.
type service struct {
	chain.UnimplementedChainServer
	stepper *stepper
	next    chain.ChainClient
}

// Pass handles a message of the previous service.
func (s *service) Pass(ctx context.Context, message *chain.Message) (*chain.Answer, error) {
	stepped, stamp := s.stepper.step(message)
	answer := &chain.Answer{}
	if s.next == nil {
		answer = s.stepper.cut(stepped)
	} else {
		var err error
		if answer, err = s.next.Pass(ctx, stepped); err != nil {
			return nil, err
		}
	}
	answer.Stamps = append([]int64{stamp}, answer.Stamps...)
	return answer, nil
}

type messageBody struct {
	Number int64  `json:"number"`
	Text   string `json:"text"`
}

type answerBody struct {
	Number int64   `json:"number"`
	Stamps []int64 `json:"stamps"`
	Text   string  `json:"text"`
}

// takeLoad handles a message of the load, which uses HTTP.
func (s *service) takeLoad(w http.ResponseWriter, r *http.Request) {
	body := messageBody{Number: -1}
	err := json.NewDecoder(r.Body).Decode(&body)
	message := &chain.Message{Number: body.Number, Text: body.Text}
	if err != nil || !isValid(message) {
		http.Error(w, "no message", http.StatusBadRequest)
		return
	}
	answer, err := s.Pass(r.Context(), message)
	if err != nil {
		log.Print(err)
		http.Error(w, "the next service failed", http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(answerBody{answer.Number, answer.Stamps, answer.Text}); err != nil {
		log.Print(err)
	}
}
