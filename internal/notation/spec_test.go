package notation

import (
	"math"
	"slices"
	"strings"
	"testing"

	"tengen/internal/random"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text, name, bare string
		keys, values     []string
	}{
		{"go", "go", "", nil, nil},
		{" go ", "go", "", nil, nil},
		{"go:size=5", "go", "", []string{"size"}, []string{"5"}},
		{"go: size = 5 , players=3 ", "go", "", []string{"size", "players"}, []string{"5", "3"}},
		{"go:size=5,komi=[0,0.5,-1],ko=simple", "go", "",
			[]string{"size", "komi", "ko"}, []string{"5", "[0,0.5,-1]", "simple"}},
		{"az:runs/first", "az", "runs/first", nil, nil},
		{"az:runs/first,simulations=180", "az", "runs/first",
			[]string{"simulations"}, []string{"180"}},
		{"az:C:/runs/first", "az", "C:/runs/first", nil, nil},
		{"x:a=b=c", "x", "", []string{"a"}, []string{"b=c"}},
		{`az:"a=10,b=20",c=2`, "az", "a=10,b=20", []string{"c"}, []string{"2"}},
		{`az: "[" , belief = "x\n\xff;\"" ,c=2`, "az", "[",
			[]string{"belief", "c"}, []string{"x\n\xff;\"", "2"}},
		{`az:say "x",belief=5" disk`, "az", `say "x"`, []string{"belief"}, []string{`5" disk`}},
		{"x:a=[[1,2],[3]]", "x", "", []string{"a"}, []string{"[[1,2],[3]]"}},
	} {
		s, err := Parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		var values []string
		for _, k := range s.keys {
			values = append(values, s.args[k])
		}
		if s.Name != c.name || s.Bare != c.bare || !slices.Equal(s.keys, c.keys) ||
			!slices.Equal(values, c.values) {
			t.Errorf("%q is read as name %q, argument %q, keys %q, values %q",
				c.text, s.Name, s.Bare, s.keys, values)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "a name is missing; write it as name:key=value,key=value"},
		{" ", "a name is missing; write it as name:key=value,key=value"},
		{":size=5", "a name is missing; write it as name:key=value,key=value"},
		{"go:", `"" is not key=value`},
		{"go:size=", `"size=" is not key=value`},
		{"go:=5", `"=5" is not key=value`},
		{"go:size=5,", `"" is not key=value`},
		{"go:size=5,players", `"players" is not key=value`},
		{"az:one,two", `"two" is not key=value`},
		{"go:size=5,size=6", `key "size" is given twice`},
		{"go:komi=[0,0", `unmatched opening bracket in "komi=[0,0"`},
		{"go:komi=0]", `unmatched closing bracket in "komi=0]"`},
		{"go:komi=][", `unmatched closing bracket in "komi=]["`},
		{`az:"a`, `unmatched quotation mark in "\"a"`},
		{`az:"a"b`, `text after a quotation mark, where a comma is wanted, in "\"a\"b"`},
		{`az:""`, `"\"\"" is not key=value`},
		{`az:x,belief=""`, `"belief=\"\"" is not key=value`},
	} {
		if _, err := Parse(c.text); err == nil || err.Error() != c.want {
			t.Errorf("%q: got error %v, want %s", c.text, err, c.want)
		}
	}
}

var params = []Param{
	{Key: "size", Default: "5"}, {Key: "c", Default: "0.8"}, {Key: "noise", Default: "false"},
	{Key: "ko", Default: "positional"}, {Key: "komi"},
}

// values returns the values of a text, which must be valid but for the values themselves.
func values(t *testing.T, text string) *Values {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	v, err := s.Values(params)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

func TestDefaults(t *testing.T) {
	v := values(t, "go")
	if n := v.Int("size", 1, 19); n != 5 {
		t.Errorf("size is %d, want 5", n)
	}
	if x := v.Float("c", 0, 1); x != 0.8 {
		t.Errorf("c is %v, want 0.8", x)
	}
	if v.Bool("noise") {
		t.Error("noise is true, want false")
	}
	if w := v.Choice("ko", "simple", "positional"); w != "positional" {
		t.Errorf("ko is %q, want positional", w)
	}
	if xs := v.Floats("komi"); xs != nil {
		t.Errorf("komi is %v, want nil", xs)
	}
	if v.Given("size") || v.Err() != nil {
		t.Errorf("given %v, error %v, want false, nil", v.Given("size"), v.Err())
	}
}

func TestGivenValues(t *testing.T) {
	v := values(t, "go:anything,size=19,c=1e-3,noise=true,ko=simple,komi=[0, 6.5,-1]")
	if v.Bare != "anything" || v.Int("size", 1, 19) != 19 || v.Float("c", 0, 1) != 1e-3 ||
		!v.Bool("noise") ||
		v.Choice("ko", "simple", "positional") != "simple" || v.String("ko") != "simple" ||
		!slices.Equal(v.Floats("komi"), []float64{0, 6.5, -1}) || !v.Given("size") ||
		v.Err() != nil {
		t.Errorf("the values are %+v", v)
	}
}

func TestUnknownKey(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{
			"go:sise=5", `go has no key "sise" (did you mean "size"?); its keys are size, c, noise, ko, komi`,
		},
		{
			"go:kmoi=[0]", `go has no key "kmoi" (did you mean "komi"?); its keys are size, c, noise, ko, komi`,
		},
		{"go:wallpaper=5", `go has no key "wallpaper"; its keys are size, c, noise, ko, komi`},
	} {
		s, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Values(params); err == nil || err.Error() != c.want {
			t.Errorf("%q: got error %v, want %s", c.text, err, c.want)
		}
	}
	s, err := Parse("random:c=1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Values(nil); err == nil ||
		err.Error() != `random has no key "c"; its keys are none` {
		t.Errorf("the error is %v", err)
	}
}

func TestBadValues(t *testing.T) {
	integer := func(v *Values) { v.Int("size", 1, 19) }
	float := func(v *Values) { v.Float("c", 0, 1) }
	unbounded := func(v *Values) { v.Float("c", 0, math.Inf(1)) }
	floats := func(v *Values) { v.Floats("komi") }
	for _, c := range []struct {
		text string
		read func(v *Values)
		want string
	}{
		{"go:size=20", integer, "size=20: a whole number from 1 to 19 is wanted"},
		{"go:size=0", integer, "size=0: a whole number from 1 to 19 is wanted"},
		{"go:size=five", integer, "size=five: a whole number from 1 to 19 is wanted"},
		{"go:size=5.0", integer, "size=5.0: a whole number from 1 to 19 is wanted"},
		{"go:size=99999999999999999999",
			integer, "size=99999999999999999999: a whole number from 1 to 19 is wanted"},
		{"go:c=1.01", float, "c=1.01: a number from 0 to 1 is wanted"},
		{"go:c=NaN", float, "c=NaN: a number from 0 to 1 is wanted"},
		{"go:c=x", float, "c=x: a number from 0 to 1 is wanted"},
		{"go:c=inf", unbounded, "c=inf: a number from 0 to +Inf is wanted"},
		{"go:noise=perhaps", func(v *Values) {
			v.Bool("noise")
		}, "noise=perhaps: true or false is wanted"},
		{"go:ko=simpel", func(v *Values) {
			v.Choice("ko", "simple", "positional")
		}, `ko=simpel: one of simple, positional is wanted (did you mean "simple"?)`},
		{"go:komi=0", floats, "komi=0: a list in brackets is wanted, such as [0,0.5]"},
		{"go:komi=[0,x]", floats, `komi=[0,x]: "x" is not a finite number`},
		{"go:komi=[0,]", floats, `komi=[0,]: "" is not a finite number`},
		{"go:komi=[NaN]", floats, `komi=[NaN]: "NaN" is not a finite number`},
		{"go:komi=[-inf]", floats, `komi=[-inf]: "-inf" is not a finite number`},
		{"go:komi=[1e999]", floats, `komi=[1e999]: "1e999" is not a finite number`},
		{"go:komi=[[0]]", floats, `komi=[[0]]: "[0]" is not a finite number`},
	} {
		v := values(t, c.text)
		c.read(v)
		if v.Err() == nil || v.Err().Error() != c.want {
			t.Errorf("%q: got error %v, want %s", c.text, v.Err(), c.want)
		}
	}
}

// Err returns the first of several errors.
func TestFirstErrorIsKept(t *testing.T) {
	v := values(t, "go:size=0,c=2")
	if n := v.Int("size", 1, 19); n != 1 {
		t.Errorf("an invalid number is parsed as %d, want the least valid one", n)
	}
	v.Float("c", 0, 1)
	if err := v.Err(); err == nil || !strings.HasPrefix(err.Error(), "size=0: ") {
		t.Errorf("got error %v, want that of size", err)
	}
}

func TestFormatIsReadBack(t *testing.T) {
	rng := random.New(1, random.Test)
	lists := [][]float64{{}, {0}, {0.5, -7, 1e300, math.SmallestNonzeroFloat64}}
	for range 200 {
		xs := make([]float64, rng.IntN(5))
		for i := range xs {
			xs[i] = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(40)-20))
		}
		lists = append(lists, xs)
	}
	for _, xs := range lists {
		v := values(t, "go:komi="+Format(xs))
		if got := v.Floats("komi"); got == nil || !slices.Equal(got, xs) || v.Err() != nil {
			t.Errorf("%v is written as %s and read as %v, %v", xs, Format(xs), got, v.Err())
		}
	}
}

// What Parse accepts has a name, keys and values, and formatting and parsing it again gives the
// same.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"go", "go:size=5,komi=[0,0,0]", "az:runs/first,simulations=180", "x:[", "x:a=[b,c]]",
		" a : b = c ", `x:"a,=",b="\n",c=d"e`, "x:=", ":", "é:ü=[ß,]",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q: the error %q has more than one line", text, err)
			}
			return
		}
		if s.Name == "" || len(s.keys) != len(s.args) {
			t.Fatalf("%q is read as %+v", text, s)
		}
		var params []Param
		for _, k := range s.keys {
			if k == "" || s.args[k] == "" {
				t.Fatalf("%q is read with an empty key or value: %+v", text, s)
			}
			params = append(params, Param{Key: k})
		}
		again := s.String()
		u, err := Parse(again)
		if err != nil || u.Name != s.Name || u.Bare != s.Bare || !slices.Equal(u.keys, s.keys) {
			t.Fatalf("%q is written out as %q, which is read as %+v, %v", text, again, u, err)
		}
		v, err := u.Values(params)
		if err != nil {
			t.Fatalf("%q: %v", again, err)
		}
		for _, k := range s.keys {
			if v.String(k) != s.args[k] || !v.Given(k) {
				t.Fatalf("%q: key %q has value %q, want %q", again, k, v.String(k), s.args[k])
			}
			v.Int(k, 0, 10)
			v.Float(k, 0, 10)
			v.Floats(k)
			v.Bool(k)
			v.Choice(k, "a", "b")
		}
	})
}

// TestQuote: a word comes back from a text as it was, whatever its characters, and what needs no
// quotation marks has none.
func TestQuote(t *testing.T) {
	for word, want := range map[string]string{
		"runs/first": "runs/first", "C:/x y@10%d": "C:/x y@10%d", `a"b\c`: `a"b\c`,
		"Läufe": "Läufe", "": `""`, "a,b": `"a,b"`, "a=1": `"a=1"`, "[": `"["`, "a;b": `"a;b"`,
		" x": `" x"`, `"x"`: `"\"x\""`, "a\nb": `"a\nb"`, "caf\xe9": `"caf\xe9"`,
		"\u202e": `"\u202e"`,
	} {
		if got := Quote(word); got != want {
			t.Errorf("%q is written %s, want %s", word, got, want)
		}
		if word == "" {
			continue
		}
		s, err := Parse("az:" + Quote(word) + ",belief=" + Quote(word))
		if err != nil || s.Bare != word || s.Arg("belief") != word {
			t.Errorf("%q comes back as %+v, %v", word, s, err)
		}
		if list := List("past;az:" + Quote(word) + "; uct"); len(list) != 3 ||
			list[1] != "az:"+Quote(word) || list[2] != " uct" {
			t.Errorf("%q is a list of %q", word, list)
		}
	}
}
