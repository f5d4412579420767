package player

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/game"
	"tengen/internal/notation"
	"tengen/nn"
	"tengen/run"
	"tengen/search/nneval"
)

// runOf returns the configuration of the run that path belongs to, nil if it belongs to none.
func runOf(path string) (*configs.Config, error) {
	if n, ok := shipped(path); ok {
		return n.Config()
	}
	folder, err := run.Find(run.Path(path))
	if folder == "" || err != nil {
		return nil, err
	}
	config, err := folder.ReadConfig()
	if err != nil {
		return nil, fmt.Errorf("the run of %s: %w", path, err)
	}
	return config, nil
}

// LoadModel reads the network at path, which is a path for checkpoints.LoadModel, RUN@10 for
// iteration 10 of a run, or the name of a pretrained network (package pretrained) if there is no
// network of the name on disk.
func LoadModel(path string) (*checkpoints.Model, error) {
	if n, ok := shipped(path); ok {
		return n.Model()
	}
	asked := path
	path = run.Path(path)
	m, err := checkpoints.LoadModel(path)
	if err != nil {
		return nil, unknown(asked, err)
	}
	if err := ofItsRun(path, m); err != nil {
		return nil, err
	}
	return m, nil
}

// ofItsRun returns an error if a checkpoint in the folder of a run carries the identity of another.
func ofItsRun(path string, m *checkpoints.Model) error {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return err
	}
	folder, err := run.Find(path)
	if folder == "" || err != nil {
		return err
	}
	files, err := folder.On(nil).Identify()
	if err == nil {
		err = files.Check(m.Run)
	}
	if err != nil {
		return fmt.Errorf("load network %s: %w", m.Path, err)
	}
	return nil
}

// load reads the network at path, which is to play g. It returns the planes of g's observation that
// the network sees, nil for all: see nneval.Options.
func load(g game.Game, path string) (*checkpoints.Model, []int, error) {
	model, err := LoadModel(path)
	if err != nil {
		return nil, nil, err
	}
	var planes []int
	if model.Game != g.Name() {
		trained, err := game.New(model.Game)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		var ok bool
		if planes, ok = game.ObservedAs(g, trained); !ok {
			hint := ""
			if _, ok := game.ObservedAs(trained, g); ok {
				hint = ", which shows more; networks of both play in games of the former"
			}
			return nil, nil,
				fmt.Errorf("%s was trained on %s, not on %s%s", path, model.Game, g.Name(), hint)
		}
		g = trained
	}
	if err := nneval.Fits(g, model.Params.Spec); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return model, planes, nil
}

// fold prepares a network that load has read. It returns an error if its evaluations of some
// positions are not finite.
func fold(g game.Game, path string, model *checkpoints.Model, planes []int) (*nn.Weights, error) {
	w := nn.Fold(model.Params)
	if err := nneval.Probe(g, w, path, planes); err != nil {
		return nil, err
	}
	return w, nil
}

// checkPlanes returns an error where a network that sees some planes of a game can't play as
// configured.
func checkPlanes(path string, planes []int, canonical bool) error {
	if planes != nil && canonical {
		return fmt.Errorf("%s: search.canonical is for games as the network was trained on, with the same history", path)
	}
	return nil
}

// valuesAfterstates reports whether a network of g values afterstates (configuration key
// search.afterstates): then it has no policy. Descent, whose networks have none either, is not for
// games with chance.
func valuesAfterstates(g game.Game, s nn.Spec) bool {
	return s.Policy == nn.PolicyNone && game.ObservesAfterstates(g)
}

// OfCheckpoint returns the specification, as Parse reads it, of a player with the network at
// path and the given number of simulations (or iterations) a move, and the game that the
// network was trained on. The player is az, or ubfm if the network is one of Descent. LoadModel
// says what path may be.
func OfCheckpoint(path string, simulations int) (name, itsGame string, err error) {
	model, err := LoadModel(path)
	if err != nil {
		return "", "", err
	}
	form := "az:%s,simulations=%d"
	if g, err := game.New(model.Game); model.Params.Spec.Policy == nn.PolicyNone &&
		(err != nil || !valuesAfterstates(g, model.Params.Spec)) {
		form = "ubfm:%s,iterations=%d"
	}
	return fmt.Sprintf(form, notation.Quote(path), simulations), model.Game, nil
}

// NetworkDigest returns a digest of the parameters of the networks of a player, written as Parse
// reads it, which distinguishes checkpoints of a run; "" for players without any.
func NetworkDigest(text string) (string, error) {
	paths, err := networksOf(text)
	if err != nil {
		return "", err
	}
	var digests []string
	for _, path := range paths {
		model, err := LoadModel(path)
		if err != nil {
			return "", err
		}
		digests = append(digests, model.Params.Digest())
	}
	return strings.Join(digests, "+"), nil
}

// BeliefNetwork returns the path of the network of a player's belief, "" if it has none or text is
// not written as Parse reads it.
func BeliefNetwork(text string) string {
	parsed, err := read(text)
	if err != nil || parsed.Arg(beliefKey) == noBelief {
		return ""
	}
	return parsed.Arg(beliefKey)
}

// networksOf returns the paths of the networks of a player: the one that it plays with, and that of
// its belief.
func networksOf(text string) (paths []string, err error) {
	parsed, err := read(text)
	if err != nil {
		return nil, err
	}
	if parsed.Bare != "" {
		paths = append(paths, parsed.Bare)
	}
	if path := BeliefNetwork(text); path != "" {
		paths = append(paths, path)
	}
	return paths, nil
}

// GameOf returns the game on which the network of a player, written as Parse reads it, was
// trained, "" if the player names no network.
func GameOf(text string) (string, error) {
	paths, err := networksOf(text)
	if err == nil && len(paths) > 0 {
		var model *checkpoints.Model
		if model, err = LoadModel(paths[0]); err == nil {
			return model.Game, nil
		}
	}
	if err != nil {
		return "", fmt.Errorf("player %.200q: %w", text, err)
	}
	return "", nil
}

// networked is a Player with a network.
type networked interface{ network() network }

// network is the network of a player.
type network struct {
	params     *nn.Params // nil unless Parse made the player
	weights    *nn.Network
	passedOver []error
}

func (n *AlphaZero) network() network { return network{n.Params, &n.Weights, n.PassedOver} }
func (d *Descent) network() network   { return network{d.Params, &d.Weights, d.PassedOver} }

// On moves the network of a player that Parse made to where load loads it
// (backend.Backend's Load); until then it is evaluated on the processor. A player without
// a network is not changed. The player must not be in use.
func On(p Player, load func(*nn.Params) (nn.Network, error)) error {
	x, ok := as[networked](p)
	if !ok || x.network().params == nil {
		return nil
	}
	loaded, err := load(x.network().params)
	if err != nil {
		return fmt.Errorf("player %s: %w", p.Name(), err)
	}
	*x.network().weights = loaded
	return nil
}

// HasNetwork reports whether a player that Parse made has a network, which On can move.
func HasNetwork(p Player) bool {
	x, ok := as[networked](p)
	return ok && x.network().params != nil
}

// Parameters returns the parameters of the network of a player that Parse made, nil if it has none.
func Parameters(p Player) *nn.Params {
	if x, ok := as[networked](p); ok {
		return x.network().params
	}
	return nil
}

// PassedOver returns the errors of newer checkpoints that were found damaged when the
// player's networks were loaded.
func PassedOver(p Player) []error {
	var errs []error
	if x, ok := as[networked](p); ok {
		errs = x.network().passedOver
	}
	if b := beliefOf(p); b != nil {
		errs = append(slices.Clip(errs), b.PassedOver...)
	}
	return errs
}

// elsewhere stands for the path of a network that the reader gets in another way.
const elsewhere = "network"

// Elsewhere describes a player, written as Parse reads it, to a process that does not have its
// files: the text without the path of its network, and the configuration of the run that the
// network belongs to, nil for none. NewElsewhere makes the player there. It returns an error if the
// player needs other files.
func Elsewhere(text string) (without string, config *configs.Config, err error) {
	s, err := read(text)
	if err != nil {
		return "", nil, fmt.Errorf("player %.200q: %w", text, err)
	}
	if key, path := keptFile(s); path != "" {
		return "", nil, fmt.Errorf("player %.200q: %s=%.200s is a file of this machine",
			text, key, path)
	}
	if s.Bare == "" {
		return text, nil, nil
	}
	if config, err = runOf(s.Bare); err != nil {
		return "", nil, fmt.Errorf("player %.200q: %w", text, err)
	}
	s.Bare = elsewhere
	return s.String(), config, nil
}

// NewElsewhere makes a player of g that Elsewhere has described. model is the file of its network;
// a player without a network has none. It opens no file that the text names.
func NewElsewhere(g game.Game, text string, model []byte, config *configs.Config) (Player, error) {
	s, err := notation.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("player %.200q: %w", text, err)
	}
	want := ""
	if model != nil {
		want = elsewhere
	}
	if _, file := keptFile(s); s.Bare != want || file != "" {
		return nil, fmt.Errorf("player %.200q: it names a file", text)
	}
	if model == nil {
		return Parse(g, text)
	}
	dir, err := os.MkdirTemp("", "tengen-player-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // Parse has read it
	folder := run.Folder(dir)
	if config != nil {
		written, err := config.YAML()
		if err == nil {
			err = os.Mkdir(folder.Checkpoints(), 0o755)
		}
		if err == nil {
			err = os.WriteFile(folder.Config(), written, 0o644)
		}
		if err != nil {
			return nil, err
		}
	}
	path := filepath.Join(dir, elsewhere)
	if err := os.WriteFile(path, model, 0o644); err != nil {
		return nil, err
	}
	s.Bare = path
	return Parse(g, s.String())
}

// keptFile returns the key of a player that names a file of this machine, and the file; "" if none
// does.
func keptFile(s *notation.Spec) (key, path string) {
	for _, key := range fileKeys {
		if path := s.Arg(key); path != "" && !(key == beliefKey && path == noBelief) {
			return key, path
		}
	}
	return "", ""
}
