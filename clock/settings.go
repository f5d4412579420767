package clock

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Settings are the time that a player has for a game. The zero value is no limit.
type Settings struct {
	Main      time.Duration // for the game
	Increment time.Duration // added to Main after each move (Fischer)
	// Period is the length of a period of overtime, which begins when Main is spent; 0: no
	// overtime.
	Period time.Duration
	// Periods is the number of periods of Japanese byo-yomi. A move that is made within the
	// current period leaves it whole; a period that runs out is lost. 0: Moves counts.
	Periods int
	// Moves is the number of moves to make in each period of Canadian overtime.
	Moves int
}

// The limits of what users may set.
const (
	maxTime  = 24 * time.Hour
	maxCount = 10_000
)

// Limited reports whether there is a limit.
func (s Settings) Limited() bool { return s != Settings{} }

// Validate returns an error that names what is impossible.
func (s Settings) Validate() error {
	for _, d := range []time.Duration{s.Main, s.Increment, s.Period} {
		if d < 0 {
			return fmt.Errorf("%v is less than 0", d)
		}
	}
	switch {
	case !s.Limited():
		return nil
	case s.Period == 0 && (s.Periods != 0 || s.Moves != 0):
		return fmt.Errorf("a period of overtime is 0; more is wanted")
	case s.Period > 0 && s.Increment > 0:
		return fmt.Errorf("an increment and overtime exclude each other")
	case s.Period > 0 && (s.Periods > 0) == (s.Moves > 0):
		return fmt.Errorf("overtime has either a number of periods or a number of moves for each")
	case s.Periods < 0 || s.Periods > maxCount || s.Moves < 0 || s.Moves > maxCount:
		return fmt.Errorf("a number from 1 to %d is wanted of periods and of moves", maxCount)
	case s.Main == 0 && s.Period == 0:
		return fmt.Errorf("there is no time for the first move")
	}
	return nil
}

// Notation says how Parse reads settings, for messages and help texts.
const Notation = "10s for the game, 10s+2s with 2s more after each move, 10s+5x2s with 5 periods of byo-yomi, or 10s+30s/15 with 15 moves in each 30s of overtime"

// Parse reads settings in the notation of String. The main time may be 0s if overtime follows.
func Parse(text string) (Settings, error) {
	s, err := parse(text)
	if err == nil && !s.Limited() {
		err = fmt.Errorf("there is no time for the first move")
	}
	if err == nil {
		err = s.Validate()
	}
	if err != nil {
		return Settings{}, fmt.Errorf("clock %q: %w; such as %s is wanted", text, err, Notation)
	}
	return s, nil
}

func parse(text string) (s Settings, err error) {
	main, more, plus := strings.Cut(text, "+")
	if s.Main, err = duration(main); err != nil || !plus {
		return s, err
	}
	if periods, period, ok := strings.Cut(more, "x"); ok {
		if s.Periods, err = number(periods); err == nil {
			s.Period, err = duration(period)
		}
		return s, err
	}
	if period, moves, ok := strings.Cut(more, "/"); ok {
		if s.Moves, err = number(moves); err == nil {
			s.Period, err = duration(period)
		}
		return s, err
	}
	s.Increment, err = duration(more)
	return s, err
}

func duration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no duration", text)
	}
	if d > maxTime {
		return 0, fmt.Errorf("%v is more than 24h", d)
	}
	return d, nil
}

func number(text string) (int, error) {
	n, _ := strconv.Atoi(text) // 0 if it is none
	if n < 1 {
		return 0, fmt.Errorf("%q is no number", text)
	}
	return n, nil
}

// String returns the settings as Parse reads them, "" for no limit.
func (s Settings) String() string {
	switch {
	case !s.Limited():
		return ""
	case s.Periods > 0:
		return fmt.Sprintf("%s+%dx%s", short(s.Main), s.Periods, short(s.Period))
	case s.Moves > 0:
		return fmt.Sprintf("%s+%s/%d", short(s.Main), short(s.Period), s.Moves)
	case s.Increment > 0:
		return fmt.Sprintf("%s+%s", short(s.Main), short(s.Increment))
	}
	return short(s.Main)
}

// short formats a duration without the units that are 0: 10m, not 10m0s.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
