//go:build slow

package player

func init() { quiet = true }
