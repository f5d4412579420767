package run

import (
	"encoding/json"
	"fmt"

	"tengen/internal/runid"
	"tengen/vfs"
)

// Guest is a network from outside a run that plays some of the seats of its self-play.
type Guest struct {
	Player  string `json:"player"`  // as player.Parse reads it
	Network string `json:"network"` // the digest of its parameters (nn.Params.Digest)
}

// guests is the content of PopulationFile.
type guests struct {
	Guests []Guest  `json:"guests"`
	Run    runid.ID `json:"run,omitempty"`
}

// ReadGuests returns the networks from outside the run that have played in it. The error is
// fs.ErrNotExist if there is no list.
func (f Files) ReadGuests() ([]Guest, error) {
	data, err := vfs.ReadFileUpTo(f.FS, f.Population(), MaxSmall)
	if err != nil {
		return nil, fmt.Errorf("read the population: %w", err)
	}
	var list guests
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %w; put it back, or remove it if the networks of population.members are the same as before", f.Population(), err)
	}
	if err := f.Check(list.Run, true); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Population(), err)
	}
	return list.Guests, nil
}

// WriteGuests replaces that list.
func (f Files) WriteGuests(list []Guest) error {
	if err := f.WriteJSON(f.Population(), guests{list, f.Run}); err != nil {
		return fmt.Errorf("write the population: %w", err)
	}
	return nil
}
