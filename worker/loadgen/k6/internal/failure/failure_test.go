package failure

import "testing"

func TestClassifyStatus(t *testing.T) {
	for name, test := range map[string]struct {
		status     int
		isExpected bool
		isControl  bool
		expected   string // "" for a success
	}{
		"success":             {200, true, false, ""},
		"redirect":            {302, false, false, "check"},
		"expected redirect":   {302, true, false, ""},
		"not found":           {404, false, false, "status_4xx"},
		"expected by script":  {404, true, false, ""},
		"accepted control":    {200, false, true, "check"},
		"other refusal":       {404, false, true, "check"},
		"overloaded":          {503, false, true, "status_5xx"},
		"service unavailable": {503, false, false, "status_5xx"},
		"informational":       {101, false, false, "other"},
	} {
		t.Run(name, func(t *testing.T) {
			isFailed, kind := ClassifyStatus(test.status, test.isExpected, test.isControl)
			if isFailed != (test.expected != "") {
				t.Fatalf("failed is %v", isFailed)
			}
			if isFailed && kind.String() != test.expected {
				t.Errorf("kind is %s, want %s", kind, test.expected)
			}
		})
	}
}
