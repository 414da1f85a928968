package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

var nextParts = map[string]string{
	"": "second", "second": "third", "third": "fourth", "fourth": "fifth", "fifth": "sixth",
}

// passMessage is each of the six services.
func (s *service) passMessage(w http.ResponseWriter, r *http.Request) {
	message := Message{Number: -1}
	if err := json.NewDecoder(r.Body).Decode(&message); err != nil || !s.isMessageValid(message) {
		http.Error(w, "no message", http.StatusBadRequest)
		return
	}
	answer, err := s.answer(message)
	if err != nil {
		fail(w, err)
		return
	}
	sendJSON(w, answer)
}

// answer makes the step of this service and calls the next service.
func (s *service) answer(message Message) (Answer, error) {
	stepped, stamp := s.steps.step(message)
	answer := Answer{}
	if next := nextParts[os.Getenv("PART")]; next == "" {
		answer = s.steps.cut(stepped)
	} else if err := callNext(next, stepped, &answer); err != nil {
		return answer, err
	}
	answer.Stamps = append([]int64{stamp}, answer.Stamps...)
	return answer, nil
}

func callNext(part string, message Message, answer *Answer) error {
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	address := os.Getenv(strings.ToUpper(part)+"_URL") + "/chain"
	response, err := http.Post(address, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s", address, response.Status)
	}
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	return json.Unmarshal(content, answer)
}
