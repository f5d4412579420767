package configs

import (
	"strings"

	"tengen/internal/spec"
)

// MemberPast is the member of the population that stands for the earlier networks of the run.
const MemberPast = "past"

// List returns the members: MemberPast, and players as player.Parse reads them.
func (p Population) List() []string {
	list := spec.List(p.Members)
	for i, m := range list {
		list[i] = strings.TrimSpace(m)
	}
	return list
}
