package main

import (
	"log"
	"strconv"
	"sync/atomic"
)

const (
	modulus        = 2_147_483_647
	mostCharacters = 1_000_000
	keyDigits      = 7
)

type Message struct {
	Number int64  `json:"number"`
	Text   string `json:"text"`
}

type Answer struct {
	Number int64   `json:"number"`
	Stamps []int64 `json:"stamps"`
	Text   string  `json:"text"`
}

func (m Message) isValid() bool {
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
func (s *stepper) step(m Message) (Message, int64) {
	stamp := s.taken.Add(1)
	character := int64(m.Text[m.Number%int64(len(m.Text))])
	return Message{(m.Number*m.Number + s.key + stamp + character) % modulus, m.Text}, stamp
}

// cut returns the answer of the last service: the two pieces of the text, swapped.
func (s *stepper) cut(m Message) Answer {
	index := (m.Number + s.key) % int64(len(m.Text))
	return Answer{Number: m.Number, Text: m.Text[index:] + m.Text[:index]}
}
