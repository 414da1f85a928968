package main

import (
	"strings"
	"sync"
)

var tokenCheats = map[string]func(s *service){
	"tokens-never-checked":     tokensBy(0, func(string) bool { return true }),
	"tokens-unchecked-later":   tokensBy(fewRequests, func(string) bool { return true }),
	"tokens-expired-accepted":  tokensBy(fewRequests, isSigned),
	"tokens-unsigned-accepted": tokensBy(fewRequests, isUnexpired),
	"tokens-kept-by-claims":    tokensBy(0, keepTokens(func(parts []string) string { return parts[1] })),
	"tokens-kept-by-signature": tokensBy(0, keepTokens(func(parts []string) string { return parts[2] })),
}

// tokensBy replaces the check of tokens after some requests.
func tokensBy(count int64, cheat func(token string) bool) func(s *service) {
	return func(s *service) {
		s.isTokenValid = func(token string) bool {
			if s.load.received.Load() > count {
				return cheat(token)
			}
			return isTokenValid(token)
		}
	}
}

func isUnexpired(token string) bool { return !isExpired(token) }

// keepTokens remembers a part of each valid token, and accepts every token with such a part.
func keepTokens(part func(parts []string) string) func(token string) bool {
	var known sync.Map
	return func(token string) bool {
		parts := strings.Split(token, ".")
		if len(parts) != 3 {
			return false
		}
		key := part(parts)
		if _, isKnown := known.Load(key); isKnown && key != "" {
			return true
		}
		isValid := isTokenValid(token)
		if isValid {
			known.Store(key, true)
		}
		return isValid
	}
}
