package selfplay

import (
	"fmt"

	"tengen/nn"
	"tengen/player"
	"tengen/search"
	"tengen/search/nneval"
)

// evaluators are those of a job's network in a worker, one for each of its groups. They are used by
// the games of that job.
type evaluators struct {
	w         *worker
	index     int  // among Group.Evaluators, in each group
	job       *Job // nil: it is closed
	games     int  // that use it
	evaluator nn.Evaluator
	believer  *player.Believer    // of the network; nil: none
	networks  []*nneval.Evaluator // of the groups, all on the evaluator
	counted   []nneval.Stats      // lookups of the networks that are counted already
}

// open makes the evaluators of a job; evaluator is that of its network, if there is one already.
func (e *evaluators) open(job *Job, evaluator nn.Evaluator) {
	e.job = job
	if job.Weights == nil {
		return
	}
	if e.evaluator = evaluator; evaluator == nil {
		e.evaluator = job.newEvaluator()
	}
	s := e.w.settings
	if job.Belief != nil {
		e.believer = job.Belief.NewBeliever(s.Game)
	}
	for _, g := range e.w.groups {
		evaluator, n, rows := s.Network.EvaluatorOn(s.Game, job.Weights, e.evaluator, e.w.size,
			fmt.Sprintf("network of iteration %d", job.Iteration))
		n.OnBatch = e.w.counting(rows)
		e.networks, e.counted = append(e.networks, n), append(e.counted, nneval.Stats{})
		g.Evaluators[e.index].(*replaceable).set(evaluator)
	}
}

// close releases what the evaluators hold. No game uses them any more.
func (e *evaluators) close() {
	if e.job == nil {
		return
	}
	e.countLookups()
	if e.evaluator != nil {
		nn.Close(e.evaluator)
		for _, g := range e.w.groups {
			g.Evaluators[e.index].(*replaceable).set(nil)
		}
	}
	*e = evaluators{w: e.w, index: e.index}
}

// countLookups brings the counters up to date with the networks.
func (e *evaluators) countLookups() {
	c := e.w.counters
	for i, n := range e.networks {
		now := n.Stats()
		if now.Lookups == e.counted[i].Lookups {
			continue // without a cache there are none
		}
		lookups, hits := now.Lookups-e.counted[i].Lookups, now.Hits-e.counted[i].Hits
		e.counted[i] = now
		c.Lookups.Add(lookups)
		c.CacheHits.Add(hits)
		if c.OnLookups != nil {
			c.OnLookups(lookups, hits)
		}
	}
}

// replaceable is an evaluator that stands for one that changes: search.DriveGroups keeps its
// evaluators.
type replaceable struct {
	evaluator search.Evaluator // nil: none
	recaller  search.Recaller
	starter   search.Starter
	search.Requests
}

func (x *replaceable) set(e search.Evaluator) {
	x.evaluator, x.Requests = e, e
	x.recaller, _ = e.(search.Recaller)
	x.starter, _ = e.(search.Starter)
}

// Evaluate implements search.Evaluator.
func (x *replaceable) Evaluate() (search.Evaluations, error) { return x.evaluator.Evaluate() }

// Recall implements search.Recaller.
func (x *replaceable) Recall(k int) (search.Evaluations, bool) {
	if x.recaller == nil {
		return search.Evaluations{}, false
	}
	return x.recaller.Recall(k)
}

// Start implements search.Starter.
func (x *replaceable) Start() {
	if x.starter != nil {
		x.starter.Start()
	}
}
