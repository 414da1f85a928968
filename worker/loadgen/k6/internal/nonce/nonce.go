// Package nonce draws the unpredictable values that distinguish requests.
package nonce

import (
	cryptorand "crypto/rand"
	"math/rand/v2"
	"strconv"
)

const (
	// Digits is the length of a nonce in lower-case hexadecimal digits.
	Digits = 16

	// RepeatedOneIn is N if one request in N repeats the nonce of an earlier request, so that a
	// service cannot treat a repeated nonce differently.
	RepeatedOneIn = 100

	// The last Remembered nonces may be repeated.
	Remembered = 1024

	integerBits = 30
)

// Nonce is 64 random bits, written as 16 digits.
type Nonce uint64

// Append appends the digits of the nonce.
func (n Nonce) Append(to []byte) []byte {
	const digits = "0123456789abcdef"
	for shift := 60; shift >= 0; shift -= 4 {
		to = append(to, digits[n>>shift&15])
	}
	return to
}

// String returns the digits of the nonce.
func (n Nonce) String() string { return string(n.Append(nil)) }

// Integer returns the last 30 bits, for requests that need a number instead of digits.
func (n Nonce) Integer() uint64 { return uint64(n) & (1<<integerBits - 1) }

// Parse returns the nonce with these digits.
func Parse(digits string) (Nonce, error) {
	parsed, err := strconv.ParseUint(digits, 16, 64)
	return Nonce(parsed), err
}

// Generator draws nonces. Only one goroutine may use it at a time.
type Generator struct {
	random *rand.ChaCha8
	recent [Remembered]Nonce
	drawn  uint64
}

// NewGenerator returns a generator with a random seed of the operating system.
func NewGenerator() *Generator {
	var seed [32]byte
	_, _ = cryptorand.Read(seed[:]) // never fails, see its documentation
	return &Generator{random: rand.NewChaCha8(seed)}
}

// Uint64 returns random bits, for other draws that a service must not predict.
func (g *Generator) Uint64() uint64 { return g.random.Uint64() }

// Next returns a new nonce, or repeats one of the last nonces.
func (g *Generator) Next() Nonce {
	drawn := Nonce(g.random.Uint64())
	if g.drawn > 0 && g.random.Uint64() < OneIn(RepeatedOneIn) {
		drawn = g.recent[g.random.Uint64()%min(g.drawn, Remembered)]
	}
	g.recent[g.drawn%Remembered] = drawn
	g.drawn++
	return drawn
}

// OneIn returns the limit below which a uniform 64-bit number falls one time in count.
func OneIn(count uint64) uint64 { return ^uint64(0) / count }
