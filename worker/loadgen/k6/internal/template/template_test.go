package template

import (
	"bytes"
	"testing"

	"tacho/worker/loadgen/k6/internal/nonce"
)

const drawn = nonce.Nonce(0x3a00000000000007)

func mustParse(t *testing.T, text string) *Template {
	t.Helper()
	made, err := Parse(text, nil, Nonce, Integer, Stamp, Signature)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func valuesOf(drawn nonce.Nonce) *Values {
	values := &Values{}
	values.Set(drawn, nil)
	return values
}

func TestTemplatesAreFilled(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"/hello":                        "/hello",
		"/?a={nonce}":                   "/?a=3a00000000000007",
		"{nonce:2}{nonce:1}":            "3a3",
		`{"title":"{nonce:2:escaped}"}`: `{"title":"\u0033\u0061"}`,
		"/cars?first={integer}&x":       "/cars?first=7&x",
		`{"nonce":{},"a":{unknown}}`:    `{"nonce":{},"a":{unknown}}`,
	} {
		made, values := mustParse(t, text), valuesOf(drawn)
		if got := string(made.Append(nil, values)); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
		if got := string(bytes.Join(made.AppendPieces(nil, values), nil)); got != want {
			t.Errorf("the pieces of %s are %s, want %s", text, got, want)
		}
		if made.Length(values) != len(want) || made.MaxLength() < len(want) {
			t.Errorf("%s: length %d of %d", text, made.Length(values), made.MaxLength())
		}
		if !made.Match([]byte(want), values) || made.Match([]byte(want+"x"), values) {
			t.Errorf("%s does not match its own text only", text)
		}
	}
}

func TestStampAndSignatureAreTakenFromAText(t *testing.T) {
	made, values := mustParse(t, "Hello {nonce:2}! {stamp} {signature}"), valuesOf(drawn)
	if !made.Match([]byte("Hello 3a! 120 fedcba9876543210"), values) {
		t.Fatal("the text does not match")
	}
	if string(values.Stamp) != "120" || string(values.Signature) != "fedcba9876543210" {
		t.Errorf("stamp %q, signature %q", values.Stamp, values.Signature)
	}
	for _, wrong := range []string{
		"", "Hello 3b! 120 fedcba9876543210", "Hello 3a!  fedcba9876543210", "Hello 3a! 120 fedcba987654321",
		"Hello 3a! 120 fedcba9876543210 ", "Hello 3a! 12345678901234567890 fedcba9876543210",
	} {
		if made.Match([]byte(wrong), values) {
			t.Errorf("%q matches", wrong)
		}
	}
	if described := made.Describe(valuesOf(drawn)); described != "Hello 3a! <stamp> <signature>" {
		t.Errorf("described as %q", described)
	}
}

func TestUnknownValuesAreRefused(t *testing.T) {
	for _, text := range []string{"{stamp}", "{nonce:0}", "{nonce:17}", "{integer:2}"} {
		if _, err := Parse(text, nil, Nonce, Integer); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}
