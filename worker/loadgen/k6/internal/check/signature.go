package check

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"

	"tacho/worker/loadgen/k6/internal/template"
)

const signedDigits = 16

// signature is how a peer signs: the first 16 digits of HMAC-SHA256.
type signature struct {
	mac  hash.Hash
	text *template.Template

	signed []byte // buffers, so that a check allocates nothing
	sum    []byte
	digits [signedDigits]byte
}

func newSignature(given Signing, names *template.Names) (*signature, error) {
	text, err := template.Parse(given.Text, names, template.Nonce, template.Integer, template.Stamp)
	if err != nil {
		return nil, err
	}
	return &signature{mac: hmac.New(sha256.New, []byte(given.Key)), text: text}, nil
}

// sign returns the valid signature of these values. It stays valid until the next call.
func (s *signature) sign(values *template.Values) []byte {
	s.signed = s.text.Append(s.signed[:0], values)
	s.mac.Reset()
	s.mac.Write(s.signed)
	s.sum = s.mac.Sum(s.sum[:0])
	hex.Encode(s.digits[:], s.sum[:signedDigits/2])
	return s.digits[:]
}

func (s *signature) isValid(values *template.Values) bool {
	return hmac.Equal(values.Signature, s.sign(values))
}

// findSigned takes the stamp and the signature from a JSON object. It reports whether both are there.
func findSigned(body []byte, values *template.Values) bool {
	stamp, found := findMember(body, `"stamp"`)
	if !found {
		return false
	}
	digits := 0
	for digits < len(stamp) && '0' <= stamp[digits] && stamp[digits] <= '9' {
		digits++
	}
	text, found := findMember(body, `"signature"`)
	if !found || digits == 0 || len(text) < signedDigits+2 || text[0] != '"' ||
		text[signedDigits+1] != '"' {
		return false
	}
	values.Stamp, values.Signature = stamp[:digits], text[1:1+signedDigits]
	return true
}

// findMember returns what follows a name of a member and its colon.
func findMember(body []byte, name string) ([]byte, bool) {
	const spaces = " \t\r\n"
	_, rest, _ := bytes.Cut(body, []byte(name))
	rest, found := bytes.CutPrefix(bytes.TrimLeft(rest, spaces), []byte(":"))
	return bytes.TrimLeft(rest, spaces), found
}
