package configs

import (
	"strconv"
	"strings"
	"time"
)

// meant returns the number that a text stands for which is written in another way than as a number
// of a key's unit: "60" for 1h where minutes are wanted, "0.25" for 25%, "0.5" for 0,5, "10000" for
// 10k; "" if nothing is known.
func meant(unit, text string) string {
	text = strings.TrimSpace(text)
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	if d, err := time.ParseDuration(strings.ReplaceAll(text, " ", "")); err == nil &&
		strings.Trim(text, "0") != "" {
		switch unit, _, _ = strings.Cut(unit, " "); unit {
		case "minutes":
			return number(d.Minutes())
		case "seconds":
			return number(d.Seconds())
		case "hours":
			return number(d.Hours())
		}
		return ""
	}
	digits := strings.TrimRight(text, "%kKmM_ ")
	x, err := strconv.ParseFloat(strings.ReplaceAll(digits, "_", ""), 64)
	switch end := strings.ToLower(strings.TrimSpace(text[len(digits):])); {
	case err != nil && strings.Count(text, ",") == 1:
		if _, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err == nil {
			return strings.Replace(text, ",", ".", 1)
		}
		return ""
	case err != nil:
		return ""
	case end == "%":
		return number(x / 100)
	case end == "k":
		return number(x * 1e3)
	case end == "m":
		return number(x * 1e6)
	}
	return ""
}

// asBool returns true or false as a text that says so in another way means it; "" if it means
// neither.
func asBool(text string) string {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "true", "yes", "on", "1", "y", "t":
		return "true"
	case "false", "no", "off", "0", "n", "f":
		return "false"
	}
	return ""
}

// hint adds to what is wanted of a key what may have been meant by a text.
func hint(f field, text string) string {
	unit := advices()[f.key].unit
	kind := f.of(new(Config)).Kind().String()
	value := ""
	switch kind {
	case "bool":
		value = asBool(text)
	case "int", "uint64", "float64":
		if value = meant(unit, text); kind != "float64" && strings.Contains(value, ".") {
			value = ""
		}
	}
	if value == "" || value == text {
		return ""
	}
	if unit, _, _ = strings.Cut(unit, " "); kind == "bool" || unit == "" || unit == "share" {
		return "; write " + value
	}
	return "; write " + value + ", in " + unit
}
