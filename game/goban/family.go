package goban

import "tengen/game"

func init() {
	game.Register(game.Family{
		Name:    "go",
		Summary: "Go for two to four colours, 1×1 to 19×19",
		Params: []game.Param{
			{Key: "size", Default: "5", Help: "rows and columns of a square board, 1 to 19"},
			{Key: "rows", Help: "rows, 1 to 19, if the board is not square"},
			{Key: "columns", Help: "columns, 1 to 19, if the board is not square"},
			{Key: "players", Default: "3", Help: "colours, 2 to 4: Black, White, Red, Blue"},
			{Key: "komi", Help: "added to the scores, one number per colour; default zeros"},
			{Key: "ko", Default: "positional", Help: "positional, situational (superko) or simple"},
			{Key: "pass", Default: "forced",
				Help: "forced: only if all placements fill own eyes; free: always"},
			{Key: "eye", Default: "diagonal",
				Help: "what counts as an own eye: diagonal, chain or orthogonal"},
			{Key: "reward", Default: "score",
				Help: "utilities: score (points ÷ points of the board) or win"},
			{Key: "max_plies", Help: "actions after which the game ends; default 6 × points"},
		},
		New:   fromValues,
		Drawn: drawn,
	})
}

// fromValues makes the game from its parameters.
func fromValues(v *game.Values) (game.Game, error) {
	r := Rules{
		Players: v.Int("players", minPlayers, maxPlayers),
		Komi:    v.Floats("komi"),
		Ko:      Ko(v.Choice("ko", string(Positional), string(Situational), string(Simple))),
		Pass:    Pass(v.Choice("pass", string(Forced), string(Free))),
		Eye:     Eye(v.Choice("eye", string(Diagonal), string(Chain), string(Orthogonal))),
		Reward:  Reward(v.Choice("reward", string(Score), string(Win))),
	}
	switch rows, columns := v.Given("rows"), v.Given("columns"); {
	case !rows && !columns:
		r.Rows = v.Int("size", 1, maxSide)
		r.Columns = r.Rows
	case v.Given("size"):
		v.Fail("size", "it sets both rows and columns: give size alone, or rows and columns")
	case !rows:
		v.Fail("columns", "rows is wanted too")
	case !columns:
		v.Fail("rows", "columns is wanted too")
	default:
		r.Rows, r.Columns = v.Int("rows", 1, maxSide), v.Int("columns", 1, maxSide)
	}
	if v.Given("max_plies") {
		r.MaxPlies = v.Int("max_plies", 1, maxPlies)
	}
	if err := v.Err(); err != nil {
		return nil, err
	}
	return New(r)
}
