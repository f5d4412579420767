package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"

	"tengen/configs"
	"tengen/game"
	"tengen/internal/machine"
)

// DefaultGame is the game that is measured and played by default.
const DefaultGame = "go:size=5,players=3"

// Cores is the number of workers on "all cores".
func Cores() int { return runtime.GOMAXPROCS(0) }

// Processors describes the processors that this program uses: 2 processors (AMD EPYC).
func Processors() string {
	text := "1 processor"
	if n := Cores(); n > 1 {
		text = fmt.Sprintf("%d processors", n)
	}
	if model := machine.Processor(); model != "" {
		text += " (" + model + ")"
	}
	return text
}

// WriteJSON writes v as one indented JSON document.
func WriteJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// ParseGame returns the game that an argument names.
func ParseGame(text string) (game.Game, error) {
	g, err := game.New(text)
	return g, Usage(err)
}

// CheckNumber checks the value of a flag such as --simulations.
func CheckNumber(flag string, value, least int) error {
	if value < least || value > configs.MaxSimulations {
		return Usagef("--%s %d: a number from %d to %d is wanted",
			flag, value, least, configs.MaxSimulations)
	}
	return nil
}
