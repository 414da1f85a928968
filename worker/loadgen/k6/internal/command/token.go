package command

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// The same claims as in lib/token.js, valid until 2100.
const tokenClaims = `{"sub":"tacho","exp":4102444800}`

// newToken returns a JSON Web Token (RFC 7519) signed with HS256.
func newToken(secret string) string {
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode([]byte(tokenClaims))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(signed))
	return signed + "." + encode(mac.Sum(nil))
}
