package sgf

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// komiForm is a number as programs write it, with what stands around it: 6.5, 6,5, 7 1/2, 7½, 6目半,
// 黑贴3.75子.
var komiForm = regexp.MustCompile(`^(.*?)([-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?)(?:\s*(?:又\s*)?(\d)/(\d)|\s*([½¼¾]))?(.*)$`)

// units are the words after a number that say that it counts points.
var units = map[string]bool{
	"": true, "pt": true, "pts": true, "point": true, "points": true, "moku": true,
	"目": true, "집": true,
}

// halves are words that mean half a point more.
var halves = map[string]bool{"半": true, "目半": true, "반": true, "집반": true}

// komi reads the komi of a text. literal says that the program that wrote it means what it writes.
// guess, if not "", says what was guessed. ok is false if there is no number.
func komi(text string, literal bool) (x float64, guess string, ok bool) {
	text = strings.TrimSpace(strings.Map(narrow, text))
	if text == "" {
		return 0, "", false
	}
	m := komiForm.FindStringSubmatch(text)
	if m == nil {
		return 0, "", false
	}
	before, after := strings.TrimSpace(m[1]), strings.ToLower(strings.TrimSpace(m[6]))
	x, err := strconv.ParseFloat(strings.Replace(m[2], ",", ".", 1), 64)
	if err != nil || math.IsInf(x, 0) {
		return 0, "", false
	}
	part := map[string]float64{"½": 0.5, "¼": 0.25, "¾": 0.75}[m[5]]
	switch m[4] {
	case "":
	case "0":
		after = "/0"
	default:
		part = float64(m[3][0]-'0') / float64(m[4][0]-'0')
	}
	if halves[after] {
		part, after = part+0.5, ""
	}
	x += math.Copysign(part, x)
	stones := false
	switch hundredth := x / 100; {
	case literal:
	case strings.HasPrefix(after, "子"):
		stones, after = true, strings.TrimPrefix(after, "子")
	case math.Abs(x) >= 100 && math.Abs(x) < 1000 && 4*hundredth == math.Trunc(4*hundredth):
		x, guess = hundredth, "a hundredth is meant, as by Fox"
		stones = quarters(x)
	case quarters(x):
		stones = true
	}
	if stones {
		x *= 2
		guess = "stones of Chinese counting are meant, each two points"
	}
	if guess == "" && (before != "" || !units[after]) {
		guess = "the first number is meant"
	}
	return x, guess, true
}

// quarters reports whether a komi is in quarters of a point: such are only half of a komi, counted
// in stones.
func quarters(x float64) bool { return 4*x == math.Trunc(4*x) && 2*x != math.Trunc(2*x) }

// narrow returns a digit or sign of full width as ASCII.
func narrow(r rune) rune {
	if r >= '！' && r <= '～' {
		return r - '！' + '!'
	}
	return r
}

// open finds the encoding of a file: by its mark of byte order, by zero bytes (UTF-16), by CA if
// its text can be in that, as UTF-8 if it can be that, or the one in which it is most plausible.
func open(raw []byte) *source {
	begin := 0
	switch {
	case bytes.HasPrefix(raw, []byte("\xff\xfe")):
		return newSource(raw, 2, utf16LE)
	case bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return newSource(raw, 2, utf16BE)
	case bytes.HasPrefix(raw, []byte("\xef\xbb\xbf")):
		begin = 3
	}
	rest := raw[begin:]
	declared := declaration(raw, begin)
	if declared == nil {
		if set := byZeros(rest); set != nil {
			return newSource(raw, begin, set)
		}
	}
	other := firstOther(rest)
	switch {
	case declared != nil && declared.escape,
		declared == nil && other < 0 && bytes.Contains(rest, []byte("\x1b$")):
		return newSource(raw, begin, iso2022JP)
	case other < 0:
		return newSource(raw, begin, asUTF8)
	case utf8.Valid(rest) && (declared == nil || declared.single() || begin > 0 || long(rest)):
		return newSource(raw, begin, asUTF8)
	case declared != nil && declared != asUTF8:
		s := newSource(raw, begin, declared)
		// Any text can be Latin-1, which some programs write of whatever text they have.
		if points, clean := s.plausible(); clean && s.reads(&points) &&
			(declared != latin || points > 0) {
			return s
		}
	}
	return mostPlausible(raw, begin, declared)
}

// byZeros returns the UTF-16 that text without a mark of byte order is in: ASCII has a zero byte in
// each unit.
func byZeros(text []byte) *charset {
	text = text[:min(len(text), 4096)]
	var zeros [2]int
	for i, b := range text {
		if b == 0 {
			zeros[i%2]++
		}
	}
	switch {
	case zeros[0] == 0 && zeros[1] > len(text)/10:
		return utf16LE
	case zeros[1] == 0 && zeros[0] > len(text)/10:
		return utf16BE
	}
	return nil
}

// declaration returns the encoding that CA of the root names, nil if there is none. In the wrong
// encoding CA may not be seen, so each that is named somewhere is tried.
func declaration(raw []byte, begin int) *charset {
	const most = 4
	var tried []*charset
	for rest := raw[begin:]; len(tried) < most; {
		i := bytes.Index(rest, []byte("CA"))
		if i < 0 {
			break
		}
		rest = rest[i+2:]
		s := scanner{text: rest[:min(len(rest), 64)]}
		if s.next() != '[' {
			continue
		}
		v, err := s.value()
		if err != nil {
			continue
		}
		set := charsetOf(string(v.raw))
		if set == nil || slices.Contains(tried, set) {
			continue
		}
		tried = append(tried, set)
		src := newSource(raw, begin, set)
		names := false
		root := scanner{text: src.text}
		// its errors are those of a later reading
		_ = root.mainLine(func(node int, p property) error {
			if node > 0 || p.name == "CA" {
				names = node == 0 && charsetOf(string(p.first.raw)) == set
				return errStop
			}
			return nil
		})
		if names {
			return set
		}
	}
	return nil
}

// errStop ends a reading.
var errStop = fail(0, "")

// long reports whether text in UTF-8 has a character of three bytes, which text in another encoding
// hardly ever has by chance.
func long(text []byte) bool {
	return bytes.IndexFunc(text, func(r rune) bool { return r >= 0x800 }) >= 0
}

// mostPlausible returns the source in the encoding in which it has the fewest errors and the most
// frequent characters.
func mostPlausible(raw []byte, begin int, declared *charset) *source {
	list := []*charset{asUTF8, gb18030, shiftJIS, big5, eucKR, eucJP, latin}
	if declared != nil && declared.char != nil {
		list = append([]*charset{declared}, list...)
	}
	var best *source
	most, bestReads := 0, false
	for _, set := range list {
		s := newSource(raw, begin, set)
		points, _ := s.plausible()
		if set == declared && points >= 0 {
			points += 5 * common
		}
		reads := s.reads(&points)
		if best == nil || reads && !bestReads || reads == bestReads && points > most {
			best, most, bestReads = s, points, reads
		}
	}
	return best
}

// reads reports whether the structure can be read. Each kind of oddity in it costs points.
func (s *source) reads(points *int) bool {
	var n notes
	in := scanner{text: s.text, notes: &n}
	err := in.mainLine(func(int, property) error { return nil })
	*points -= len(n.list) * 2 * common
	return err == nil
}

// plausible returns the sum of the points of all characters that are no ASCII, and whether all are
// possible.
func (s *source) plausible() (points int, clean bool) {
	clean = true
	if s.set.char == nil {
		return 0, true
	}
	pairs := s.set.pairs()
	for b := s.raw[s.start:]; len(b) > 0; {
		if !s.set.begins(b[0]) {
			b = b[1:]
			continue
		}
		n, p := s.set.char(b)
		if n == 2 && pairs[[2]byte(b)] {
			p = common
		}
		points += p
		clean = clean && p > impossible
		b = b[n:]
	}
	return points - len(s.cut), clean
}

// pairs returns the two bytes of each of the common characters.
func (c *charset) pairs() map[[2]byte]bool {
	return commonPairs()[c]
}

var commonPairs = sync.OnceValue(func() map[*charset]map[[2]byte]bool {
	all := map[*charset]map[[2]byte]bool{}
	for _, c := range []*charset{gb18030, big5, shiftJIS, eucJP, eucKR} {
		all[c] = map[[2]byte]bool{}
		for _, r := range c.common {
			if b, err := c.codec.NewEncoder().String(string(r)); err == nil && len(b) == 2 {
				all[c][[2]byte([]byte(b))] = true
			}
		}
	}
	return all
})
