package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
)

var chainCheats = map[string]func(s *service){
	"chain-skips-a-service":       func(s *service) { s.skipFrom(0) },
	"chain-skips-a-service-later": func(s *service) { s.skipFrom(manyRequests) },
	"chain-wrong-accepted":        acceptWrongMessages,
	"chain-short-text":            shortenText,
	"chain-own-cut":               cutAlone,
	"chain-old-stamps":            repeatStamps,
	"chain-knows-all-keys":        shareStepKeys,
	"chain-breaks-after-load":     breakAfterLoad,
}

// skipFrom lets the fourth service call the sixth, after some messages.
func (s *service) skipFrom(count int64) {
	if os.Getenv("PART") != "fourth" {
		return
	}
	honest := s.chain
	s.chain = func(w http.ResponseWriter, r *http.Request) {
		if s.load.received.Load() <= count {
			honest(w, r)
			return
		}
		message, answer := Message{}, Answer{}
		if err := json.NewDecoder(r.Body).Decode(&message); err != nil {
			fail(w, err)
			return
		}
		stepped, stamp := s.steps.step(message)
		if err := callNext("sixth", stepped, &answer); err != nil {
			fail(w, err)
			return
		}
		// The stamp of the fifth service would be about the same as that of the fourth.
		answer.Stamps = append([]int64{stamp, stamp}, answer.Stamps...)
		sendJSON(w, answer)
	}
}

// acceptWrongMessages answers wrong messages under load as if they were right ones.
func acceptWrongMessages(s *service) {
	s.chain = func(w http.ResponseWriter, r *http.Request) {
		message := Message{Number: -1}
		err := json.NewDecoder(r.Body).Decode(&message)
		isUnderLoad := s.load.received.Load() > manyRequests
		if isValid := err == nil && message.isValid(); !isValid && !isUnderLoad {
			http.Error(w, "no message", http.StatusBadRequest)
			return
		} else if !isValid {
			message = Message{Number: max(message.Number, 1) % modulus, Text: "wrong"}
		}
		answer, err := s.answer(message)
		if err != nil {
			fail(w, err)
			return
		}
		sendJSON(w, answer)
	}
}

// shortenText passes on only the first half of the text under load.
func shortenText(s *service) {
	honest := s.chain
	s.chain = func(w http.ResponseWriter, r *http.Request) {
		if !isFirst() || s.load.received.Load() <= manyRequests {
			honest(w, r)
			return
		}
		s.answerChanged(w, r, func(message Message) Message {
			message.Text = message.Text[:len(message.Text)/2+1]
			return message
		}, func(message Message, answer Answer) Answer {
			answer.Text = message.Text
			return answer
		})
	}
}

// cutAlone cuts the text in the first service under load, at any place.
func cutAlone(s *service) {
	honest := s.chain
	s.chain = func(w http.ResponseWriter, r *http.Request) {
		if !isFirst() || s.load.most.Load() <= crowd {
			honest(w, r)
			return
		}
		s.answerChanged(w, r, func(message Message) Message {
			return message
		}, func(message Message, answer Answer) Answer {
			half := len(message.Text) / 2
			answer.Text = message.Text[half:] + message.Text[:half]
			return answer
		})
	}
}

func (s *service) answerChanged(
	w http.ResponseWriter,
	r *http.Request,
	before func(Message) Message,
	behind func(Message, Answer) Answer,
) {
	message := Message{Number: -1}
	if err := json.NewDecoder(r.Body).Decode(&message); err != nil || !s.isMessageValid(message) {
		http.Error(w, "no message", http.StatusBadRequest)
		return
	}
	answer, err := s.answer(before(message))
	if err != nil {
		fail(w, err)
		return
	}
	sendJSON(w, behind(message, answer))
}

// repeatStamps calls no other service under load, and uses the stamps of an earlier answer.
func repeatStamps(s *service) {
	honest := s.chain
	s.chain = func(w http.ResponseWriter, r *http.Request) {
		if !isFirst() || s.load.received.Load() <= manyRequests {
			honest(w, r)
			return
		}
		message := Message{Number: -1}
		if err := json.NewDecoder(r.Body).Decode(&message); err != nil || !s.isMessageValid(message) {
			http.Error(w, "no message", http.StatusBadRequest)
			return
		}
		stepped, stamp := s.steps.step(message)
		sendJSON(w, Answer{stepped.Number, []int64{stamp, 9, 9, 9, 9, 9}, strings.Clone(message.Text)})
	}
}

func breakAfterLoad(s *service) {
	honest := s.chain
	s.chain = s.when(func(l *load, r *http.Request) bool {
		return isFirst() && afterLoad(l, r)
	}, answerStatus(http.StatusInternalServerError), honest)
}

// shareStepKeys lets all services give their keys away, so that the first can make all steps alone.
func shareStepKeys(s *service) {
	s.peerRoutes = func(mux *http.ServeMux) {
		mux.HandleFunc("GET /key", func(w http.ResponseWriter, _ *http.Request) {
			sendText(w, []byte(os.Getenv("STEP_KEY")))
		})
	}
	readSteppers := sync.OnceValue(func() []*stepper {
		steppers := []*stepper{s.steps}
		for part := nextParts[""]; part != ""; part = nextParts[part] {
			key, err := get(os.Getenv(strings.ToUpper(part)+"_URL") + "/key")
			if err != nil {
				log.Fatal(err)
			}
			steppers = append(steppers, newStepper(string(key)))
		}
		return steppers
	})
	if !isFirst() {
		return
	}
	s.chain = func(w http.ResponseWriter, r *http.Request) {
		message := Message{Number: -1}
		if err := json.NewDecoder(r.Body).Decode(&message); err != nil || !message.isValid() {
			http.Error(w, "no message", http.StatusBadRequest)
			return
		}
		var stamps []int64
		var last *stepper
		for _, last = range readSteppers() {
			stepped, stamp := last.step(message)
			message, stamps = stepped, append(stamps, stamp)
		}
		answer := last.cut(message)
		answer.Stamps = stamps
		sendJSON(w, answer)
	}
}
