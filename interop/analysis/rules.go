package analysis

import (
	"fmt"
	"slices"
	"strings"

	"tengen/game/goban"
)

// ruleset are the rules of a query that can differ. Every other rule is as KataGo's tables call
// area scoring, without tax, button or suicide.
type ruleset struct {
	ko goban.Ko
	// bonus is "0", "N" or "N-1": the points that White gets for N handicap stones.
	bonus string
	// dead means that dead stones need not be captured (friendlyPassOk), which is not so here.
	dead bool
}

// described are the names that stand for rules that can be played.
var described = map[string]ruleset{
	"chinese":     {goban.Simple, "N", true},
	"chinese-ogs": {goban.Positional, "N", true},
	"chinese-kgs": {goban.Positional, "N", true},
	"aga":         {goban.Situational, "N-1", true},
	"bga":         {goban.Situational, "N-1", true},
	"french":      {goban.Situational, "N-1", true},
}

// different are the names that stand for rules that can't be played, and what is not so here.
var different = map[string]string{
	"japanese":      "they count territory, and scoring is by area here",
	"korean":        "they count territory, and scoring is by area here",
	"stone-scoring": "they tax groups, and no tax is known here",
	"aga-button":    "they have a button, and none is known here",
	"tromp-taylor":  "they allow suicide, which is illegal here",
	"new-zealand":   "they allow suicide, which is illegal here",
}

// instead says which rules can be asked for.
const instead = `ask for chinese, chinese-ogs or aga, or for {"ko":"POSITIONAL","scoring":"AREA"}`

// parseRules reads the field rules: a name or an object of rules, of which those that are left out
// are as here.
func parseRules(value any) (ruleset, *fieldError) {
	switch v := value.(type) {
	case string:
		name := strings.NewReplacer("_", "-", " ",
			"-").Replace(strings.ToLower(strings.TrimSpace(v)))
		if r, ok := described[name]; ok {
			return r, nil
		}
		if why, ok := different[name]; ok {
			return ruleset{},
				&fieldError{
					"rules", fmt.Sprintf("Rules not supported: %s: %s; %s", name, why, instead),
				}
		}
		return ruleset{}, &fieldError{"rules", "Could not parse rules: " + clip(v) + "; " + instead}
	case map[string]any:
		return ruleObject(v)
	}
	return ruleset{},
		&fieldError{"rules", "Must be a name of rules or an object of rules; " + instead}
}

// ruleObject reads rules such as {"ko":"SIMPLE","scoring":"AREA","suicide":false}.
func ruleObject(rules map[string]any) (ruleset, *fieldError) {
	r := ruleset{ko: goban.Positional, bonus: "0"}
	wrong := func(key string, want string) (ruleset, *fieldError) {
		return ruleset{},
			&fieldError{
				"rules", fmt.Sprintf("Rules not supported: %s has to be %s here", clip(key), want),
			}
	}
	for _, key := range sortedKeys(rules) {
		value := rules[key]
		text, _ := value.(string)
		text = strings.ToUpper(text)
		switch key {
		case "ko":
			r.ko = goban.Ko(strings.ToLower(text))
			if !slices.Contains([]goban.Ko{
				goban.Positional, goban.Situational, goban.Simple,
			}, r.ko) {
				return wrong(key, "POSITIONAL, SITUATIONAL or SIMPLE")
			}
		case "scoring":
			if text != "AREA" {
				return wrong(key, "AREA")
			}
		case "tax":
			if text != "NONE" {
				return wrong(key, "NONE")
			}
		case "suicide", "hasButton":
			if value != false {
				return wrong(key, "false")
			}
		case "whiteHandicapBonus":
			var err *fieldError
			if r.bonus, err = parseBonus(key, value); err != nil {
				return wrong(key, `"0", "N" or "N-1"`)
			}
		case "friendlyPassOk":
			b, ok := value.(bool)
			if !ok {
				return wrong(key, "true or false")
			}
			r.dead = b
		default:
			return ruleset{},
				&fieldError{"rules", "Rules not supported: there is no rule " + clip(key)}
		}
	}
	return r, nil
}

// parseBonus reads a rule of the points that White gets for handicap stones.
func parseBonus(field string, value any) (string, *fieldError) {
	switch text, _ := value.(string); text {
	case "0", "N", "N-1":
		return text, nil
	}
	return "", &fieldError{field, `Must be "0", "N" or "N-1"`}
}

// points returns the points that White gets for a number of handicap stones.
func (r ruleset) points(stones int) float64 {
	switch {
	case stones < 2: // no handicap
		return 0
	case r.bonus == "N":
		return float64(stones)
	case r.bonus == "N-1":
		return float64(stones - 1)
	}
	return 0
}
