package failure

import "testing"

func TestClassifyK6(t *testing.T) {
	for name, test := range map[string]struct {
		errorCode, status int
		expected          Kind
	}{
		"no response in time":   {1050, 0, Timeout},
		"no connection":         {1211, 0, Timeout},
		"connection refused":    {1212, 0, Refused},
		"connection reset":      {1220, 0, Reset},
		"broken pipe":           {1201, 0, Reset},
		"unknown host":          {1101, 0, Other},
		"end of file":           {1000, 0, Other},
		"not found":             {1404, 404, Status4xx},
		"unavailable":           {1503, 503, Status5xx},
		"another good status":   {0, 200, Check},
		"body not decompressed": {1701, 0, Other},
	} {
		t.Run(name, func(t *testing.T) {
			if kind := ClassifyK6(test.errorCode, test.status); kind != test.expected {
				t.Errorf("kind is %s, want %s", kind, test.expected)
			}
		})
	}
}
