package player

// Timed is a Player that may think for a measured time. Its moves depend on the
// clock, so its games can't be repeated, and it wants a goroutine, and a core,
// of its own while it thinks.
type Timed interface{ Timed() bool }

// IsTimed says whether a player thinks for a measured time.
func IsTimed(p Player) bool {
	t, ok := p.(Timed)
	return ok && t.Timed()
}
