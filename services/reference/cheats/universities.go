package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

var searches atomic.Int64

type university struct {
	WebPages      []string `json:"web_pages"`
	Name          string   `json:"name"`
	Domains       []string `json:"domains"`
	AlphaTwoCode  string   `json:"alpha_two_code"`
	Country       string   `json:"country"`
	StateProvince *string  `json:"state-province"`
}

type signedRecords struct {
	Stamp        int64        `json:"stamp"`
	Signature    string       `json:"signature"`
	Universities []university `json:"universities"`
}

// forwardUniversities is the gateway.
func (s *service) forwardUniversities(w http.ResponseWriter, r *http.Request) {
	if !s.isTokenValid(readToken(r)) {
		http.Error(w, "unauthorised", http.StatusUnauthorized)
		return
	}
	query := r.URL.Query()
	body, err := callUniversities(query.Get("country"), query.Get("nonce"))
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(body)
}

func callUniversities(country, nonce string) ([]byte, error) {
	query := url.Values{"country": {country}, "nonce": {nonce}}
	return get(os.Getenv("UNIVERSITIES_URL") + "/records?" + query.Encode())
}

func readToken(r *http.Request) string {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return token
}

// isTokenValid accepts JSON Web Tokens of HS256 that have not expired.
func isTokenValid(token string) bool {
	return isSigned(token) && !isExpired(token)
}

func isSigned(token string) bool {
	header, _, _ := strings.Cut(token, ".")
	var named struct {
		Algorithm string `json:"alg"`
	}
	if decodePart(header, &named) != nil || named.Algorithm != "HS256" {
		return false
	}
	end := strings.LastIndex(token, ".")
	signature, err := base64.RawURLEncoding.DecodeString(token[end+1:])
	code := hmac.New(sha256.New, []byte(os.Getenv("JWT_SECRET")))
	code.Write([]byte(token[:end]))
	return err == nil && hmac.Equal(signature, code.Sum(nil))
}

func isExpired(token string) bool {
	parts := strings.Split(token, ".")
	var claims struct {
		Expires float64 `json:"exp"`
	}
	if len(parts) != 3 || decodePart(parts[1], &claims) != nil {
		return true
	}
	return claims.Expires <= float64(time.Now().Unix())
}

func decodePart(part string, value any) error {
	content, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(content, value)
}

// sendRecords is the universities service.
func (s *service) sendRecords(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	found, err := s.findRecords(query.Get("country"))
	if err != nil {
		fail(w, err)
		return
	}
	stamp := searches.Add(1)
	signature := sign(os.Getenv("SIGNING_KEY"), fmt.Sprintf("%s %d", query.Get("nonce"), stamp))
	sendJSON(w, signedRecords{stamp, signature, found})
}

func readRecords(country string) ([]university, error) {
	all, err := readFile()
	return selectRecords(all, country), err
}

func readFile() ([]university, error) {
	text, err := os.ReadFile(filepath.Join(os.Getenv("DATA_DIR"), "universities.json"))
	if err != nil {
		return nil, err
	}
	var all []university
	err = json.Unmarshal(text, &all)
	return all, err
}

func selectRecords(all []university, country string) []university {
	found := []university{}
	for _, record := range all {
		if record.Country == country {
			found = append(found, record)
		}
	}
	return found
}
