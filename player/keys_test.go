package player

import (
	"testing"

	"tengen/configs"
	"tengen/internal/notation"
)

// TestSearchKeys: a player accepts and refuses the values of a key of its search that a
// configuration does, says the same of them, and keeps the same value.
func TestSearchKeys(t *testing.T) {
	texts := []string{
		"0", "1", "-1", "2.5", "0.5", "1000", "1001", "5000", "65536", "65537", "100000", "100001",
		"1e6", "1e7",
		"NaN", "Inf", "true", "false", "yes", "", "zero", "parent", "puct", "gumbel", "range",
		"none", "improved",
		"policy", "visits", "lcb", "sampled", "balanced", "single", "multiple", "auto",
	}
	for _, key := range searchKeys {
		accepted, refused := 0, 0
		for _, text := range texts {
			given := key + "=" + text
			for _, k := range gumbelKeys {
				if k == key {
					given += ",root=gumbel"
				}
			}
			parsed, err := notation.Parse("az:" + given)
			if err != nil {
				if text != "" {
					t.Fatal(err)
				}
				continue
			}
			v, err := parsed.Values(azParams)
			if err != nil {
				t.Fatal(err)
			}
			c, plays := configs.Default(), configs.Default()
			problem := c.SetKey("search."+key, text)
			tune(&plays.Search, v, key)
			set := "search." + key + "=" + text
			_, resolved := configs.Resolve(configs.Options{Name: "quick", Set: []string{set}})
			if problem == nil {
				accepted++
				if v.Err() != nil || plays.Value("search."+key) != c.Value("search."+key) {
					t.Errorf("%s: the player has %v (%v), a configuration %v",
						given, plays.Value("search."+key), v.Err(), c.Value("search."+key))
				}
				continue
			}
			refused++
			if v.Err() == nil || v.Err().Error() != key+"="+text+": "+problem.Error() {
				t.Errorf("%s: the player says %v, want %v", given, v.Err(), problem)
			}
			if resolved == nil {
				t.Errorf("--set %s is accepted, and a player refuses it: %v", set, problem)
			}
		}
		if accepted == 0 || refused == 0 {
			t.Errorf("%s: %d values are accepted, %d refused", key, accepted, refused)
		}
	}
}

// TestShortKeys: c is c_puct, and names have the long form; both are one too many.
func TestShortKeys(t *testing.T) {
	for text, want := range map[string]string{
		"az:x,c=2": "2", "az:x,c_puct=2": "2",
		"az:x,c=2,c_puct=3": "c_puct and c are given, which are one key",
		"az:x,c_puct=3,c=2": "c_puct and c are given, which are one key",
	} {
		parsed, err := notation.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		v, err := parsed.Values(azParams)
		if err != nil {
			if err.Error() != want {
				t.Errorf("%s: %v, want %s", text, err, want)
			}
			continue
		}
		if got := v.String("c_puct"); got != want {
			t.Errorf("%s: c_puct is %s, want %s", text, got, want)
		}
	}
}
