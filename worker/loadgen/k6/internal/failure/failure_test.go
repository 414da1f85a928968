package failure

import (
	"testing"

	"go.k6.io/k6/v2/metrics"
)

func TestClassify(t *testing.T) {
	for name, test := range map[string]struct {
		tags     map[string]string
		isFailed bool
		expected string // "" for a success
	}{
		"success":             {map[string]string{"status": "200"}, false, ""},
		"redirect":            {map[string]string{"status": "302"}, true, "check"},
		"expected redirect":   {map[string]string{"status": "302"}, false, ""},
		"not found":           {map[string]string{"status": "404", "error_code": "1404"}, true, "status_4xx"},
		"expected by script":  {map[string]string{"status": "404", "error_code": "1404"}, false, ""},
		"accepted control":    {map[string]string{"status": "200", "control": "yes"}, true, "check"},
		"other refusal":       {map[string]string{"status": "404", "control": "yes", "error_code": "1404"}, true, "check"},
		"overloaded":          {map[string]string{"status": "503", "control": "yes", "error_code": "1503"}, true, "status_5xx"},
		"service unavailable": {map[string]string{"status": "503", "error_code": "1503"}, true, "status_5xx"},
		"request timeout":     {map[string]string{"status": "0", "error_code": "1050"}, true, "timeout"},
		"dial timeout":        {map[string]string{"status": "0", "error_code": "1211"}, true, "timeout"},
		"refused":             {map[string]string{"status": "0", "error_code": "1212"}, true, "refused"},
		"reset":               {map[string]string{"status": "0", "error_code": "1220"}, true, "reset"},
		"broken pipe":         {map[string]string{"status": "0", "error_code": "1201"}, true, "reset"},
		"closed unanswered":   {map[string]string{"status": "0", "error_code": "1000"}, true, "other"},
		"informational":       {map[string]string{"status": "101"}, true, "other"},
	} {
		t.Run(name, func(t *testing.T) {
			tags := metrics.NewRegistry().RootTagSet().WithTagsFromMap(test.tags)
			isFailed, kind := Classify(tags, test.isFailed)
			if isFailed != (test.expected != "") {
				t.Fatalf("failed is %v", isFailed)
			}
			if isFailed && kind.String() != test.expected {
				t.Errorf("kind is %s, want %s", kind, test.expected)
			}
		})
	}
}
