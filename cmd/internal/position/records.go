package position

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"tengen/arena"
)

// SplitNumber splits FILE:N; number is -1 without N. A folder stands for the match in it.
func SplitNumber(text string) (path string, number int, err error) {
	path, number = text, -1
	if _, err := os.Stat(path); err != nil {
		i := strings.LastIndexByte(text, ':')
		if i < 0 {
			return "", 0, err
		}
		n, bad := strconv.ParseUint(text[i+1:], 10, 31)
		if bad != nil {
			return "", 0, errors.New("after the last colon the number of a game is wanted, from 0")
		}
		path, number = text[:i], int(n)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, arena.MatchFile)
	}
	return path, number, nil
}

// Choose returns the record with a number or, for -1, the one with the least number.
func Choose(records []arena.Record, number int) (*arena.Record, error) {
	if len(records) == 0 {
		return nil, fmt.Errorf("no game is in it yet")
	}
	var numbers []int
	for _, r := range records {
		numbers = append(numbers, r.Number)
	}
	if number < 0 {
		number = slices.Min(numbers)
	}
	if i := slices.Index(numbers, number); i >= 0 {
		return &records[i], nil
	}
	return nil, fmt.Errorf("no game has number %d; there are %d, from %d to %d",
		number, len(records), slices.Min(numbers), slices.Max(numbers))
}
