package trainer

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"tengen/configs"
	"tengen/game"
	"tengen/nn"
	"tengen/nn/backend"
	"tengen/player"
	"tengen/replay"
	"tengen/run"
	"tengen/selfplay"
)

// Guest is a player of the population from outside the run.
type Guest struct {
	Name   string // as player.Parse reads it
	Player player.Player
	Digest string // of the parameters of its network, "" without one
}

// newGuests reads the players of population.members, if the population has a share.
func newGuests(c *configs.Config, g game.Game) (guests []Guest, err error) {
	if c.Population.Share == 0 {
		return nil, nil
	}
	for _, name := range c.Population.List() {
		if name == configs.MemberPast {
			continue
		}
		p, err := player.Parse(g, name)
		switch {
		case err != nil:
			return nil, fmt.Errorf("population.members: %w", err)
		case player.IsTimed(p):
			return nil, fmt.Errorf("population.members: %s has a limit of time, so games would not be reproducible: simulations or iterations are wanted", name)
		}
		guest := Guest{Name: name, Player: p}
		if params := player.Parameters(p); params != nil {
			guest.Digest = params.Digest()
		}
		guests = append(guests, guest)
	}
	return guests, nil
}

// population is the players other than the newest network that play in a run.
type population struct {
	r      *runner
	groups [][]selfplay.Member     // the guests, each a group
	past   map[int]selfplay.Member // of those needed last, by iteration
	failed map[int]bool            // iterations whose networks can't be read
}

// newPopulation checks that the guests' networks are those that the run began with, and moves them to
// the run's device.
func (r *runner) newPopulation() (*population, error) {
	p := &population{r: r, past: map[int]selfplay.Member{}, failed: map[int]bool{}}
	if err := r.checkGuests(); err != nil {
		return nil, err
	}
	for _, g := range r.plan.Guests {
		if err := player.On(g.Player, r.plan.Load); err != nil {
			return nil, err
		}
	}
	for i := range r.plan.Guests {
		p.groups = append(p.groups, []selfplay.Member{r.plan.GuestMember(i)})
	}
	return p, nil
}

// GuestMember returns a guest, by its index in Guests, as a member of the population.
func (p *Plan) GuestMember(i int) selfplay.Member {
	g := p.Guests[i]
	// The values of other searches may be on another scale.
	_, puct := g.Player.(*player.AlphaZero)
	return selfplay.Member{Player: g.Player, Seat: replay.SeatRecord{Kind: replay.Guest, Name: g.Name}, Values: puct && !p.Descends()}
}

// checkGuests compares the guests' networks with the run's list, and adds those that it lacks.
func (r *runner) checkGuests() error {
	list, err := r.folder.ReadGuests()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	known := len(list)
	for _, g := range r.plan.Guests {
		if g.Digest == "" {
			continue
		}
		i := slices.IndexFunc(list, func(x run.Guest) bool { return x.Player == g.Name })
		switch {
		case i < 0:
			list = append(list, run.Guest{Player: g.Name, Network: g.Digest})
		case list[i].Network != g.Digest:
			return fmt.Errorf("population.members: the network of %s is not the one that played in %s before (its digest is %s, was %s); put that one back, or name it by a path that does not change, such as a checkpoint's",
				g.Name, r.folder.Folder, short(g.Digest), short(list[i].Network))
		}
	}
	if len(list) == known {
		return nil
	}
	return r.folder.WriteGuests(list)
}

// short returns the first letters of a digest.
func short(digest string) string { return digest[:min(12, len(digest))] }

// at returns the population in the games of an iteration, nil if there is none.
func (p *population) at(iteration int) (*selfplay.Population, error) {
	c := p.r.plan.Config.Population
	if c.Share == 0 {
		return nil, nil
	}
	all := &selfplay.Population{Share: c.Share}
	guests := p.groups
	for _, name := range c.List() {
		if name != configs.MemberPast {
			all.Groups = append(all.Groups, guests[0])
			guests = guests[1:]
			continue
		}
		past, err := p.networks(iteration)
		if err != nil {
			return nil, err
		}
		if len(past) > 0 {
			all.Groups = append(all.Groups, past)
		}
	}
	if len(all.Groups) == 0 {
		return nil, nil
	}
	return all, nil
}

// networks returns the earlier networks that play in the games of an iteration. One that can't be
// read is reported once and left out; only the loss of a device is an error.
func (p *population) networks(iteration int) (list []selfplay.Member, err error) {
	wanted := p.iterations(iteration)
	for i := range p.past {
		if !slices.Contains(wanted, i) {
			delete(p.past, i)
		}
	}
	for _, i := range wanted {
		m, ok := p.past[i]
		if !ok && !p.failed[i] {
			weights, step, err := p.r.plan.savedWeights(p.r.folder, i)
			switch {
			case backend.Lost(err):
				return nil, err
			case err != nil:
				// Continuing matters more than equality with an uninterrupted run.
				p.failed[i] = true
				p.r.warn(fmt.Sprintf("the network of iteration %d, of the population, can't be read; it plays no longer: %v", i, err), iteration)
			default:
				m = selfplay.Member{
					Player: p.r.plan.PastPlayer(network{i, weights}.name(), weights),
					Seat:   replay.SeatRecord{Kind: replay.Past, Step: step}, Values: true,
					Params: p.r.plan.loaded.of(weights),
				}
				p.past[i], ok = m, true
			}
		}
		if ok {
			list = append(list, m)
		}
	}
	return list, nil
}

// iterations returns the iterations of the earlier networks in the games of an iteration, the
// newest first. The initial weights are among them only if they are another run's.
func (p *population) iterations(iteration int) (list []int) {
	c := p.r.plan.Config.Population
	first := 1
	if p.r.state.Init != "" {
		first = 0
	}
	if c.Share == 0 || !slices.Contains(c.List(), configs.MemberPast) {
		return nil
	}
	for i := (iteration - 1) / c.PastEvery * c.PastEvery; i >= first && i < iteration && len(list) < c.Past; i -= c.PastEvery {
		list = append(list, i)
	}
	return list
}

// wanted returns the iterations whose checkpoints must be kept after an iteration, so that the
// run can be resumed from each of its last checkpoints.
func (p *population) wanted(iteration, last int) (list []int) {
	for i := max(0, iteration-last+1); i <= iteration; i++ {
		list = append(list, p.iterations(i)...)
	}
	return list
}

// most returns the greatest number of members in the games of an iteration.
func (p *population) most() int { return p.r.plan.MostMembers() }

// MostMembers returns the greatest number of members of the population in the games of an iteration.
func (p *Plan) MostMembers() int {
	c := p.Config.Population
	n := len(p.Guests)
	if c.Share > 0 && slices.Contains(c.List(), configs.MemberPast) {
		n += c.Past
	}
	return n
}

// PastPlayer returns an earlier network as a player of the population: it plays as in evaluations,
// but draws its first moves as self-play does.
func (p *Plan) PastPlayer(label string, weights nn.Network) player.Player {
	c := p.Config
	simulations := c.Population.Simulations
	if simulations == 0 {
		simulations = c.Search.Simulations
		if p.Descends() {
			simulations = c.Descent.Iterations
		}
	}
	made := p.NetworkPlayer(label, weights, simulations)
	switch x := made.(type) {
	case *player.AlphaZero:
		x.PUCT.Leaves = c.Search.Leaves
		x.Temperature, x.Plies = c.Play.Temperature, c.Play.TemperaturePlies
	case *player.Descent:
		if simulations == 0 {
			x.Options.Time = time.Duration(c.Descent.Seconds * float64(time.Second))
		}
	}
	return made
}
