package runid

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestID(t *testing.T) {
	a, b := New("x", "yz"), New("xy", "z")
	if a == b || a == 0 || New("x", "yz") != a {
		t.Fatalf("%v and %v", a, b)
	}
	type file struct {
		Run ID `json:"run,omitempty"`
	}
	for _, id := range []ID{0, 1, a, 1<<64 - 1} {
		text, err := json.Marshal(file{id})
		var back file
		if err != nil || json.Unmarshal(text, &back) != nil || back.Run != id ||
			id == 0 && string(text) != "{}" {
			t.Errorf("%v: %s, %v: %v", id, text, err, back)
		}
	}
	for _, bad := range []string{
		"0", "0000000000000000", "123", "g123456789abcdef", "0123456789ABCDEF", "0x23456789abcdef",
		"0123456789abcdef0",
	} {
		if err := new(ID).UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
	for _, c := range []struct {
		want, got ID
		ok        bool
	}{
		{a, a, true}, {a, b, false}, {a, 0, false}, {0, 0, true}, {0, a, false},
	} {
		if err := Check(c.want, c.got); (err == nil) != c.ok ||
			err != nil && !errors.Is(err, ErrOtherRun) {
			t.Errorf("%v, %v: %v", c.want, c.got, err)
		}
	}
}
