// Answers the requests of the scenarios `chain` and `universities-in-memory` rightly, all services in one
// program, with little CPU time. `make bench-loadgen` measures load generators against it.
//
// It prints its port. `/count` returns the number of responses so far. STEP_KEYS are the keys of the six
// services, separated by commas.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

const modulus = 2_147_483_647

type server struct {
	keys       []int64 // of the steps
	secret     []byte  // of tokens
	signingKey []byte
	records    map[string][]byte // a country's list as JSON
	answered   atomic.Int64
}

type message struct {
	Number *int64 `json:"number"`
	Text   string `json:"text"`
}

type chainAnswer struct {
	Number int64   `json:"number"`
	Stamps []int64 `json:"stamps"`
	Text   string  `json:"text"`
}

func main() {
	served, err := newServer()
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("POST /chain", served.passMessage)
	http.HandleFunc("GET /universities", served.sendRecords)
	http.HandleFunc("GET /count", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, served.answered.Load())
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, nil))
}

func newServer() (*server, error) {
	made := &server{
		secret:     []byte(os.Getenv("JWT_SECRET")),
		signingKey: []byte(os.Getenv("SIGNING_KEY")),
		records:    map[string][]byte{},
	}
	for _, key := range strings.Split(os.Getenv("STEP_KEYS"), ",") {
		number, err := strconv.ParseInt(key[:7], 16, 64)
		if err != nil {
			return nil, err
		}
		made.keys = append(made.keys, number)
	}
	text, err := os.ReadFile(os.Getenv("UNIVERSITIES"))
	if err != nil {
		return nil, err
	}
	var all []json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	for _, record := range all {
		var fields struct{ Country string }
		if err := json.Unmarshal(record, &fields); err != nil {
			return nil, err
		}
		var compact bytes.Buffer
		_ = json.Compact(&compact, record)
		list := append(made.records[fields.Country], ',')
		made.records[fields.Country] = append(list, compact.Bytes()...)
	}
	return made, nil
}

func (s *server) passMessage(w http.ResponseWriter, r *http.Request) {
	stamp := s.answered.Add(1)
	var given message
	err := json.NewDecoder(r.Body).Decode(&given)
	if err != nil || given.Number == nil || *given.Number < 0 || *given.Number >= modulus || given.Text == "" {
		http.Error(w, "no message", http.StatusBadRequest)
		return
	}
	answer, last := chainAnswer{Number: *given.Number}, int64(0)
	for _, key := range s.keys {
		character := int64(given.Text[answer.Number%int64(len(given.Text))])
		answer.Number = (answer.Number*answer.Number + key + stamp + character) % modulus
		answer.Stamps, last = append(answer.Stamps, stamp), key
	}
	cut := (answer.Number + last) % int64(len(given.Text))
	answer.Text = given.Text[cut:] + given.Text[:cut]
	sendJSON(w, answer)
}

func (s *server) sendRecords(w http.ResponseWriter, r *http.Request) {
	stamp, query := s.answered.Add(1), r.URL.Query()
	if !s.isAccepted(r.Header.Get("Authorization")) {
		http.Error(w, "unauthorised", http.StatusUnauthorized)
		return
	}
	signature := sign(s.signingKey, fmt.Sprintf("%s %d", query.Get("nonce"), stamp))
	list := bytes.TrimPrefix(s.records[query.Get("country")], []byte(","))
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"stamp":%d,"signature":"%s","universities":[%s]}`,
		stamp, hex.EncodeToString(signature[:8]), list)
}

// isAccepted accepts tokens of HS256 that expire in the year 2100, as all right tokens do.
func (s *server) isAccepted(authorization string) bool {
	token := strings.TrimPrefix(authorization, "Bearer ")
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return false
	}
	header, _ := base64.RawURLEncoding.DecodeString(parts[0])
	claims, _ := base64.RawURLEncoding.DecodeString(parts[1])
	signature, _ := base64.RawURLEncoding.DecodeString(parts[2])
	return strings.Contains(string(header), "HS256") && strings.Contains(string(claims), "4102444800") &&
		hmac.Equal(signature, sign(s.secret, parts[0]+"."+parts[1]))
}

func sign(key []byte, text string) []byte {
	code := hmac.New(sha256.New, key)
	code.Write([]byte(text))
	return code.Sum(nil)
}

func sendJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value)
}
