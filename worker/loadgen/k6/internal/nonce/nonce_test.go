package nonce

import "testing"

func TestDigitsAndInteger(t *testing.T) {
	drawn := Nonce(0x0123456789abcdef)
	if drawn.String() != "0123456789abcdef" || drawn.Integer() != 0x89abcdef&(1<<30-1) {
		t.Errorf("%s and %d", drawn, drawn.Integer())
	}
	if parsed, err := Parse(drawn.String()); err != nil || parsed != drawn {
		t.Errorf("%s, %v", parsed, err)
	}
}

func TestOneNonceInAHundredRepeatsARecentOne(t *testing.T) {
	const count = 200_000
	g := NewGenerator()
	last := map[Nonce]int{}
	repeated, near, far := 0, 0, 0
	for index := range count {
		drawn := g.Next()
		if before, found := last[drawn]; found {
			repeated++
			distance := index - before
			if distance > Remembered {
				t.Fatalf("a nonce is repeated after %d requests", distance)
			}
			if distance <= Remembered/2 {
				near++
			} else {
				far++
			}
		}
		last[drawn] = index
	}
	if want := count / RepeatedOneIn; repeated < want*9/10 || repeated > want*11/10 {
		t.Errorf("%d of %d are repeated, want %d", repeated, count, want)
	}
	if near < repeated/3 || far < repeated/3 {
		t.Errorf("%d of the last half, %d of the half before", near, far)
	}
}

func TestGeneratorsDrawDifferentNonces(t *testing.T) {
	if NewGenerator().Next() == NewGenerator().Next() {
		t.Error("two generators have the same seed")
	}
}
