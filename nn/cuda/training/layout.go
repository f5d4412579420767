package training

import (
	"fmt"
	"strconv"
	"strings"

	"tengen/nn"
	"tengen/nn/cuda/kernels"
)

// layout is the layout of a network's numbers in the device's array: the weights of convolutions
// and dense layers first, then the other parameters, then BatchNorm's running statistics.
// Channels are padded with zeros to multiples of 16, and layers over the trunk read it cell by
// cell (NHWC). Offsets and sizes are in floats.
//
//	stem        [taps][planes][filters]
//	blocks      [2·Blocks][taps][filters][filters]
//	hidden      [cells][filters][width]       hidden layers side by side: the players', the belief's
//	output      [Players·Outputs][Hidden]
//	policy      [maps][filters]               1×1 convolution; a pass's dense layer is one more map
//	dense       [Actions][2·cells]
//	cells       [Classes][filters]            auxiliary heads
//	seats       [Players·Seats][filters]
//	belief      [BeliefClasses][Hidden]
//	idle        [layers][8][inputs][filters]  where taps is 1, the others: their gradient is 0
//	norms       [layers][γ, β][filters]
//	hiddenBias  [width]
//	outputBias  [Players·Outputs]
//	policyBias  [maps]
//	denseBias   [Actions]
//	cellsBias, seatsBias, beliefBias [Classes], [Players·Seats], [BeliefClasses]
//	statistics  [layers][mean, variance][filters]
type layout struct {
	spec                    nn.Spec
	planes, filters, width  int // padded
	taps                    int // of a convolution that are multiplied: nn.Spec.Taps
	layers, maps            int // convolutions; maps of the policy
	stem, blocks, hidden    int
	output, policy, dense   int
	idle, norms             int
	hiddenBias, outputBias  int
	policyBias, denseBias   int
	cells, seats, belief    int // of the auxiliary heads
	cellsBias, seatsBias    int
	beliefBias              int
	weights, learned, total int // ends of the weights, the parameters and all numbers
	tensors                 []place
}

// place is the place of a tensor of nn.Params: number i is at at(i).
type place struct {
	name    string
	shape   []int
	learned bool
	at      func(i int) int
}

func newLayout(s nn.Spec) *layout {
	l := &layout{
		spec: s, planes: kernels.Channels(s.Planes), filters: kernels.Channels(s.Filters),
		layers: 1 + 2*s.Blocks, taps: s.Taps(),
	}
	a, hidden := &s.Auxiliary, s.Players
	if len(a.Belief) > 0 {
		hidden++
	}
	l.width = kernels.Channels(hidden * s.Hidden)
	switch s.Policy {
	case nn.PolicyConv:
		l.maps = 1
	case nn.PolicyConvPass, nn.PolicyDense:
		l.maps = 2
	}
	end := 0
	take := func(n int) int {
		from := end
		end += (n + 63) / 64 * 64 // aligned to 256 bytes
		return from
	}
	cells, f := s.Cells(), l.filters
	l.stem = take(l.taps * l.planes * f)
	l.blocks = take(2 * s.Blocks * l.taps * f * f)
	l.hidden = take(cells * f * l.width)
	l.output = take(s.Players * s.Outputs() * s.Hidden)
	l.policy = take(l.maps * f)
	if s.Policy == nn.PolicyDense {
		l.dense = take(s.Actions * 2 * cells)
	}
	l.cells = take(a.Classes() * f)
	l.seats = take(s.Players * a.Seats * f)
	l.belief = take(a.BeliefClasses() * s.Hidden)
	l.idle = take((9 - l.taps) * (l.planes + 2*s.Blocks*f) * f)
	l.weights = end
	l.norms = take(l.layers * 2 * f)
	l.hiddenBias = take(l.width)
	l.outputBias = take(s.Players * s.Outputs())
	l.policyBias = take(l.maps)
	if s.Policy == nn.PolicyDense {
		l.denseBias = take(s.Actions)
	}
	l.cellsBias = take(a.Classes())
	l.seatsBias = take(s.Players * a.Seats)
	l.beliefBias = take(a.BeliefClasses())
	l.learned = end
	take(l.layers * 2 * f)
	l.total = end

	p, err := nn.NewParams(s)
	if err != nil {
		panic(err) // the spec was validated before
	}
	for _, t := range p.Tensors {
		kind := t.Name[strings.LastIndexByte(t.Name, '.')+1:]
		l.tensors = append(l.tensors,
			place{t.Name, t.Shape, kind != "mean" && kind != "variance", l.at(t.Name, kind)})
	}
	return l
}

// at returns the places of a tensor's numbers.
func (l *layout) at(name, kind string) func(i int) int {
	s := &l.spec
	along := func(from int) func(int) int { return func(i int) int { return from + i } }
	layer := 0
	var block, which int
	if n, _ := fmt.Sscanf(name, "block.%d.%d", &block, &which); n == 2 {
		layer = 1 + 2*block + which
	}
	player, rest, ok := valueTensor(name)
	if after, is := strings.CutPrefix(name, "aux.belief.hidden."); is {
		player, rest, ok = s.Players, "hidden."+after, true // after the last player's
	}
	if ok {
		switch rest {
		case "hidden.weight":
			row, cells := s.Filters*s.Cells(), s.Cells()
			return func(i int) int {
				h, f, c := i/row, i%row/cells, i%cells
				return l.hidden + (c*l.filters+f)*l.width + player*s.Hidden + h
			}
		case "hidden.bias":
			return along(l.hiddenBias + player*s.Hidden)
		case "output.weight":
			return along(l.output + player*s.Outputs()*s.Hidden)
		case "output.bias":
			return along(l.outputBias + player*s.Outputs())
		}
	}
	rows := func(from int) func(int) int { // of filters
		return func(i int) int { return from + i/s.Filters*l.filters + i%s.Filters }
	}
	switch name {
	case "policy.weight":
		return rows(l.policy)
	case "policy.bias":
		return along(l.policyBias)
	case "policy.pass.weight":
		return along(l.policy + l.filters)
	case "policy.pass.bias":
		return along(l.policyBias + 1)
	case "policy.dense.weight":
		return along(l.dense)
	case "policy.dense.bias":
		return along(l.denseBias)
	case "aux.cells.weight":
		return rows(l.cells)
	case "aux.cells.bias":
		return along(l.cellsBias)
	case "aux.seats.weight":
		return rows(l.seats)
	case "aux.seats.bias":
		return along(l.seatsBias)
	case "aux.belief.output.weight":
		return along(l.belief)
	case "aux.belief.output.bias":
		return along(l.beliefBias)
	}
	switch kind {
	case "weight":
		in, padded := s.Filters, l.filters
		if layer == 0 {
			in, padded = s.Planes, l.planes
		}
		from, idle := l.weight(layer), l.idle
		if layer > 0 {
			idle += 8 * (l.planes + (layer-1)*l.filters) * l.filters
		}
		return func(i int) int {
			o, c, tap := i/(9*in), i/9%in, i%9
			switch {
			case l.taps == 9:
				return from + (tap*padded+c)*l.filters + o
			case tap == kernels.Centre:
				return from + c*l.filters + o
			case tap > kernels.Centre:
				tap--
			}
			return idle + (tap*padded+c)*l.filters + o
		}
	case "gamma":
		return along(l.gamma(layer))
	case "beta":
		return along(l.gamma(layer) + l.filters)
	case "mean":
		return along(l.mean(layer))
	case "variance":
		return along(l.mean(layer) + l.filters)
	}
	panic("cuda: there is no tensor " + name)
}

// weight returns the offset of a convolution's weights; gamma and mean those of its BatchNorm.
func (l *layout) weight(layer int) int {
	if layer == 0 {
		return l.stem
	}
	return l.blocks + (layer-1)*l.taps*l.filters*l.filters
}

func (l *layout) gamma(layer int) int { return l.norms + layer*2*l.filters }
func (l *layout) mean(layer int) int  { return l.learned + layer*2*l.filters }

// scatter copies a tensor's numbers to their places in the array, gather copies them back.
func (p *place) scatter(to, from []float32) {
	p.visit(func(i, row, at, n int) {
		for k := range n {
			to[at+k] = from[i+k*row]
		}
	})
}

func (p *place) gather(to, from []float32) {
	p.visit(func(i, row, at, n int) {
		for k := range n {
			to[i+k*row] = from[at+k]
		}
	})
}

// visit calls f with all numbers, n of them at a time: i, i + row, i + 2·row, … are at at, at + 1,
// at + 2, … Weights by output have these side by side, so that a line of the cache is read or
// written at once.
func (p *place) visit(f func(i, row, at, n int)) {
	size, outputs := p.size(), p.shape[0]
	row := size / outputs
	if outputs == 1 || p.at(row) != p.at(0)+1 || row == 1 {
		for i := range size {
			f(i, 1, p.at(i), 1)
		}
		return
	}
	for o := 0; o < outputs; o += 16 {
		n := min(16, outputs-o)
		for i := o * row; i < (o+1)*row; i++ {
			f(i, row, p.at(i), n)
		}
	}
}

// size returns the number of a tensor's elements.
func (p *place) size() int {
	n := 1
	for _, d := range p.shape {
		n *= d
	}
	return n
}

// pack arranges a network's numbers in the layout, unpack restores them.
func (l *layout) pack(to []float32, p *nn.Params) {
	clear(to)
	for i := range l.tensors {
		l.tensors[i].scatter(to, p.Tensors[i].Data)
	}
}

func (l *layout) unpack(from []float32) *nn.Params {
	p, err := nn.NewParams(l.spec)
	if err != nil {
		panic(err) // the spec was validated before
	}
	for i := range l.tensors {
		l.tensors[i].gather(p.Tensors[i].Data, from)
	}
	return p
}

// learnedTensors returns the parameters in the order of a trainer's state: as in nn.Params, with
// all players' tensors of one kind adjacent.
func (l *layout) learnedTensors() []*place {
	var list []*place
	for i := range l.tensors {
		p := &l.tensors[i]
		player, rest, ok := valueTensor(p.name)
		if !p.learned || ok && player > 0 {
			continue
		}
		if !ok {
			list = append(list, p)
			continue
		}
		for j := range l.tensors {
			if _, other, ok := valueTensor(l.tensors[j].name); ok && other == rest {
				list = append(list, &l.tensors[j])
			}
		}
	}
	return list
}

// valueTensor parses the name of a value head's tensor: "value.2.hidden.bias" is player 2's
// "hidden.bias".
func valueTensor(name string) (player int, rest string, ok bool) {
	after, ok := strings.CutPrefix(name, "value.")
	if !ok {
		return 0, "", false
	}
	number, rest, _ := strings.Cut(after, ".")
	player, err := strconv.Atoi(number)
	return player, rest, err == nil
}
