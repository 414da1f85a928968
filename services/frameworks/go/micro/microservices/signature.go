package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"os"
)

const signatureDigits = 16

// sign returns the first 16 hexadecimal digits of the HMAC-SHA256 of a text, with SIGNING_KEY as
// the key.
func sign(text string) string {
	code := hmac.New(sha256.New, []byte(os.Getenv("SIGNING_KEY")))
	code.Write([]byte(text))
	return hex.EncodeToString(code.Sum(nil))[:signatureDigits]
}
