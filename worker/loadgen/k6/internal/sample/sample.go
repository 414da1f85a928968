// Package sample draws the responses that are compared in full.
package sample

import (
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
)

const keyBytes = 32

// Drawer draws from a generator that is seeded with the key of the trial. A service does not have
// the key, and the order of its requests does not reveal which responses are drawn. Only one
// goroutine may use it at a time.
type Drawer struct{ random *rand.ChaCha8 }

// NewDrawer returns the drawer of one of several senders.
//
// The key has 64 hexadecimal digits. A load outside a trial has none, and gets a random key.
func NewDrawer(key string, sender int) (*Drawer, error) {
	decoded, err := hex.DecodeString(key)
	if err != nil {
		return nil, fmt.Errorf("TACHO_SAMPLE_KEY: %w", err)
	}
	if len(decoded) == 0 {
		decoded = make([]byte, keyBytes)
		_, _ = cryptorand.Read(decoded) // never fails, see its documentation
	}
	if len(decoded) != keyBytes {
		return nil, fmt.Errorf("TACHO_SAMPLE_KEY has %d bytes instead of %d", len(decoded), keyBytes)
	}
	seed := sha256.Sum256(fmt.Appendf(decoded, " %d", sender))
	return &Drawer{rand.NewChaCha8(seed)}, nil
}

// Draw returns true for a share of its calls, each drawn on its own.
func (d *Drawer) Draw(share float64) bool {
	const bits = 53 // of a float64
	return float64(d.random.Uint64()>>(64-bits))/(1<<bits) < share
}
