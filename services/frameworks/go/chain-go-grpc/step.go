package main

import (
	"log"
	"strconv"
	"sync/atomic"

	"tacho.local/chain-go-grpc/chain"
)

const (
	modulus        = 2_147_483_647
	mostCharacters = 1_000_000
	keyDigits      = 7
)

func isValid(m *chain.Message) bool {
	return m.Number >= 0 && m.Number < modulus && m.Text != "" && len(m.Text) <= mostCharacters
}

// stepper computes the steps of this service with its own key.
type stepper struct {
	key   int64
	taken atomic.Int64
}

func newStepper(stepKey string) *stepper {
	if len(stepKey) < keyDigits {
		log.Fatalf("STEP_KEY has fewer than %d digits", keyDigits)
	}
	key, err := strconv.ParseInt(stepKey[:keyDigits], 16, 64)
	if err != nil {
		log.Fatal(err)
	}
	return &stepper{key: key}
}

// step returns the message for the next service, and the stamp of this service.
func (s *stepper) step(m *chain.Message) (*chain.Message, int64) {
	stamp := s.taken.Add(1)
	character := int64(m.Text[m.Number%int64(len(m.Text))])
	number := (m.Number*m.Number + s.key + stamp + character) % modulus
	return &chain.Message{Number: number, Text: m.Text}, stamp
}

// cut returns the answer of the last service: the two pieces of the text, swapped.
func (s *stepper) cut(m *chain.Message) *chain.Answer {
	index := (m.Number + s.key) % int64(len(m.Text))
	return &chain.Answer{Number: m.Number, Text: m.Text[index:] + m.Text[:index]}
}
