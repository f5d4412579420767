package sgf

import (
	"math"
	"regexp"
	"strconv"
	"strings"
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
