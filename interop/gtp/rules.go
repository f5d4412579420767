package gtp

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tengen/game/goban"
	"tengen/player"
)

// kataRules are rules as KataGo describes them. All but ko are always the same here.
type kataRules struct {
	FriendlyPassOk     bool   `json:"friendlyPassOk"` // dead stones may stay on the board
	HasButton          bool   `json:"hasButton"`
	Ko                 string `json:"ko"`
	Scoring            string `json:"scoring"`
	Suicide            bool   `json:"suicide"`
	Tax                string `json:"tax"`
	WhiteHandicapBonus string `json:"whiteHandicapBonus"`
}

// rulesFor returns the rules with a rule about ko.
func rulesFor(ko goban.Ko) kataRules {
	return kataRules{
		Ko: strings.ToUpper(string(ko)), Scoring: "AREA", Tax: "NONE", WhiteHandicapBonus: "0",
	}
}

func getRules(e *Engine, _ []string) (string, error) {
	text, err := json.Marshal(rulesFor(e.rules.Ko))
	return string(text), err
}

// setRules takes rules as JSON. Names of rules stand for several of them, of which some are never
// as here, so that none is taken.
func setRules(e *Engine, args []string) (string, error) {
	text := strings.Join(args, " ")
	if !strings.HasPrefix(text, "{") {
		return "",
			errors.New(
				"rules not supported: only such as kata-get-rules answers are, with another ko")
	}
	wanted := map[string]any{}
	if err := json.Unmarshal([]byte(text), &wanted); err != nil {
		return "", errSyntax
	}
	return "", e.setRules(wanted)
}

// setRule takes the name of one rule and its value.
func setRule(e *Engine, args []string) (string, error) {
	var value any = args[1]
	if b, err := strconv.ParseBool(args[1]); err == nil && args[1] != "0" && args[1] != "1" {
		value = b
	}
	return "", e.setRules(map[string]any{args[0]: value})
}

// setRules changes ko to what is wanted, if everything else is as wanted.
func (e *Engine) setRules(wanted map[string]any) error {
	ko := e.rules.Ko
	if text, ok := wanted["ko"].(string); ok {
		ko = goban.Ko(strings.ToLower(text))
		if !slices.Contains([]goban.Ko{goban.Positional, goban.Situational, goban.Simple}, ko) {
			return fmt.Errorf("rules not supported: ko %s", text)
		}
	}
	text, err := json.Marshal(rulesFor(ko))
	if err != nil {
		return err
	}
	own := map[string]any{}
	if err := json.Unmarshal(text, &own); err != nil {
		return err
	}
	for key, value := range wanted {
		text, isText := value.(string)
		switch has, ok := own[key]; {
		case !ok:
			return fmt.Errorf("rules not supported: there is no rule %s", key)
		case isText && has == strings.ToUpper(text), has == value:
		default:
			return fmt.Errorf("rules not supported: %s is %v here", key, has)
		}
	}
	if ko == e.rules.Ko {
		return nil
	}
	r := e.rules
	r.Ko = ko
	return e.changeKo(r)
}

// changeKo changes the rules to r, unless a move that was played is illegal by them.
func (e *Engine) changeKo(r goban.Rules) error {
	moves := slices.Clone(e.moves)
	return e.attempt(func() error {
		e.moves = e.moves[:0]
		if err := e.change(r); err != nil {
			return err
		}
		for _, m := range moves {
			if err := e.Play(m.color, m.action); err != nil {
				return errors.New("rules not supported: a move of the game is illegal by them")
			}
		}
		return nil
	})
}

// parameters are those of kata-get-param, by name. The value is "" if the player has none.
var parameters = map[string]func(e *Engine) string{
	"maxPlayouts": func(e *Engine) string {
		if n := player.Simulations(e.config.Player); n > 0 &&
			(e.timed == nil || !e.clocks[0].Limited()) {
			return strconv.Itoa(n)
		}
		return ""
	},
	"numSearchThreads": func(*Engine) string { return "1" },
}

func listParameters(e *Engine, _ []string) (string, error) {
	var names []string
	for name, value := range parameters {
		if value(e) != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return strings.Join(names, " "), nil
}

func getParameter(e *Engine, args []string) (string, error) {
	if value, ok := parameters[args[0]]; ok {
		if text := value(e); text != "" {
			return text, nil
		}
	}
	return "", fmt.Errorf("no parameter is called %s", args[0])
}
