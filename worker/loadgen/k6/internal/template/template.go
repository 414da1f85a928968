// Package template fills texts with the values of a request, and compares responses with them.
package template

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"tacho/worker/loadgen/k6/internal/nonce"
)

// Name is the name of a value that a template may contain.
type Name string

// The values. `{nonce:5}` is the first 5 digits of the nonce, and `{nonce:5:escaped}` the same digits as
// escapes of JSON, such as `\u0030`. A response's stamp and signature are known only once the response
// has arrived. Other names are those of values that the script draws.
const (
	Nonce     Name = "nonce"
	Integer   Name = "integer"
	Stamp     Name = "stamp"
	Signature Name = "signature"
	Drawn     Name = "drawn"
)

const (
	maxStampDigits  = 19 // of an int64
	signatureDigits = 16
	maxIntegerText  = 10
	escapeLength    = len(`\u0030`)
)

var placeholder = regexp.MustCompile(`\{([a-zA-Z]+)(?::([0-9]{1,2})(:escaped)?)?\}`)

var fixedNames = []Name{Nonce, Integer, Stamp, Signature}

// Names are the names of the values that a script draws for a request, in the order of these values.
type Names []string

// add returns the place of a name, which it adds if it is new.
func (n *Names) add(name string) int {
	if place := slices.Index(*n, name); place >= 0 {
		return place
	}
	*n = append(*n, name)
	return len(*n) - 1
}

// Values are the values of a request, and those that its response has brought.
type Values struct {
	Nonce     nonce.Nonce
	Drawn     [][]byte // by the script
	Stamp     []byte
	Signature []byte

	digits  [nonce.Digits]byte
	escaped []byte
	integer []byte
}

// Set forgets all values but those of a new request.
func (v *Values) Set(given nonce.Nonce, drawn [][]byte) {
	v.Nonce, v.Drawn, v.Stamp, v.Signature = given, drawn, nil, nil
	given.Append(v.digits[:0])
	v.integer = v.integer[:0]
}

// number returns the nonce's integer, which few requests need.
func (v *Values) number() []byte {
	if len(v.integer) == 0 {
		v.integer = strconv.AppendUint(v.integer, v.Nonce.Integer(), 10)
	}
	return v.integer
}

// escape returns the first digits of the nonce as escapes of JSON.
func (v *Values) escape(digits int) []byte {
	const hexadecimal = "0123456789abcdef"
	v.escaped = v.escaped[:0]
	for _, digit := range v.digits[:digits] {
		v.escaped = append(v.escaped, '\\', 'u', '0', '0', hexadecimal[digit>>4], hexadecimal[digit&15])
	}
	return v.escaped
}

type part struct {
	name      Name // empty for a fixed text
	text      []byte
	digits    int // of the nonce
	isEscaped bool
	place     int // of a drawn value
}

// Template is a text with placeholders.
type Template struct{ parts []part }

// Parse returns the template of a text. Braces that hold no name of a value stand for themselves, so
// that JSON needs no escapes. If the script draws values, names is not nil, and Parse adds their names
// to it.
func Parse(text string, names *Names, allowed ...Name) (*Template, error) {
	made := &Template{}
	end := 0
	for _, at := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		found := part{name: Name(text[at[2]:at[3]]), digits: nonce.Digits}
		switch {
		case !slices.Contains(fixedNames, found.name) && (names == nil || at[4] >= 0):
			continue
		case !slices.Contains(fixedNames, found.name):
			found.place = names.add(string(found.name))
			found.name = Drawn
		case !slices.Contains(allowed, found.name):
			return nil, fmt.Errorf("{%s} cannot be in %.60q", found.name, text)
		}
		if at[4] >= 0 {
			found.digits, _ = strconv.Atoi(text[at[4]:at[5]])
			if found.name != Nonce || found.digits < 1 || found.digits > nonce.Digits {
				return nil, fmt.Errorf("%s is not a value of a request", text[at[0]:at[1]])
			}
			found.isEscaped = at[6] >= 0
		}
		made.addText(text[end:at[0]])
		made.parts = append(made.parts, found)
		end = at[1]
	}
	made.addText(text[end:])
	return made, nil
}

func (t *Template) addText(text string) {
	if text != "" {
		t.parts = append(t.parts, part{text: []byte(text)})
	}
}

// Has reports whether the template contains a value.
func (t *Template) Has(name Name) bool {
	return slices.ContainsFunc(t.parts, func(p part) bool { return p.name == name })
}

// MaxLength returns the length of the longest text, without drawn values.
func (t *Template) MaxLength() int {
	sum := 0
	for _, p := range t.parts {
		switch p.name {
		case Nonce:
			sum += p.digits
			if p.isEscaped {
				sum += p.digits * (escapeLength - 1)
			}
		case Integer:
			sum += maxIntegerText
		case Stamp:
			sum += maxStampDigits
		case Signature:
			sum += signatureDigits
		case Drawn: // of any length
		default:
			sum += len(p.text)
		}
	}
	return sum
}

// bytes returns the text of a part. It stays valid until the values change.
func (p *part) bytes(values *Values) []byte {
	switch p.name {
	case Nonce:
		if p.isEscaped {
			return values.escape(p.digits)
		}
		return values.digits[:p.digits]
	case Integer:
		return values.number()
	case Stamp:
		return values.Stamp
	case Signature:
		return values.Signature
	case Drawn:
		return values.Drawn[p.place]
	default:
		return p.text
	}
}

// Length returns the length of the text with these values.
func (t *Template) Length(values *Values) int {
	sum := 0
	for index := range t.parts {
		sum += len(t.parts[index].bytes(values))
	}
	return sum
}

// Append appends the text with these values.
func (t *Template) Append(to []byte, values *Values) []byte {
	for index := range t.parts {
		to = append(to, t.parts[index].bytes(values)...)
	}
	return to
}

// AppendPieces appends the pieces of the text with these values, without a copy of long fixed
// texts. They stay valid until the values change. A template has at most one escaped nonce then.
func (t *Template) AppendPieces(to [][]byte, values *Values) [][]byte {
	for index := range t.parts {
		if piece := t.parts[index].bytes(values); len(piece) > 0 {
			to = append(to, piece)
		}
	}
	return to
}

// Match reports whether a text is the one with these values. It sets the stamp and the signature
// that the text contains.
func (t *Template) Match(text []byte, values *Values) bool {
	for index := range t.parts {
		p := &t.parts[index]
		switch p.name {
		case Stamp:
			length := countDigits(text)
			if length == 0 || length > maxStampDigits {
				return false
			}
			values.Stamp, text = text[:length], text[length:]
		case Signature:
			if len(text) < signatureDigits {
				return false
			}
			values.Signature, text = text[:signatureDigits], text[signatureDigits:]
		default:
			rest, found := bytes.CutPrefix(text, p.bytes(values))
			if !found {
				return false
			}
			text = rest
		}
	}
	return len(text) == 0
}

func countDigits(text []byte) int {
	for index, letter := range text {
		if letter < '0' || letter > '9' {
			return index
		}
	}
	return len(text)
}

// Describe returns the text with these values, and names for the values that are unknown.
func (t *Template) Describe(values *Values) string {
	var described []byte
	for index := range t.parts {
		p := &t.parts[index]
		if p.name == Stamp || p.name == Signature {
			described = fmt.Appendf(described, "<%s>", p.name)
		} else {
			described = append(described, p.bytes(values)...)
		}
	}
	return string(described)
}
