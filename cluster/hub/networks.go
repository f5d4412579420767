package hub

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tengen/checkpoints"
	"tengen/cluster"
	"tengen/nn"
	"tengen/selfplay"
)

// described is a job in the words of a block, without numbers.
type described struct {
	job   *selfplay.Job
	block cluster.Block
}

// keptJobs is the number of jobs whose networks WEIGHTS keeps.
const keptJobs = 6

// describe returns a job in the words of a block, and puts the networks that it needs into WEIGHTS.
func (h *Hub) describe(ctx context.Context, job *selfplay.Job) (cluster.Block, error) {
	if h.lost.Swap(false) {
		h.jobs = nil
	}
	for _, d := range h.jobs { // only the goroutine of deal uses it
		if d.job == job {
			return d.block, nil
		}
	}
	b := cluster.Block{
		Run: h.name, Session: h.session, Iteration: job.Iteration, Step: job.Step,
		Epsilon: job.Epsilon, Exploration: job.Exploration,
		Resign: job.Resign,
	}
	var err error
	if b.Weights, err = h.upload(ctx, job.Params); err != nil {
		return b, err
	}
	h.jobs = append(h.jobs, described{job, b})
	if drop := len(h.jobs) - keptJobs; drop > 0 {
		h.jobs = append([]described(nil), h.jobs[drop:]...)
	}
	h.tidy(ctx)
	return b, nil
}

// upload puts a network into WEIGHTS, unless it is there, and returns its digest.
func (h *Hub) upload(ctx context.Context, p *nn.Params) (string, error) {
	if p == nil {
		return "", errors.New("the parameters of a network are not known")
	}
	var file bytes.Buffer
	if err := checkpoints.WriteModel(&file, p, &checkpoints.Checkpoint{
		Game: h.o.Play.Game.Name(),
	}); err != nil {
		return "", err
	}
	return h.store(ctx, "network", file.Bytes())
}

// store puts data into WEIGHTS, unless they are there, and returns their digest.
func (h *Hub) store(ctx context.Context, what string, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	// At least a MiB a second, and not for ever where the broker is silent.
	limited, cancel := context.WithTimeout(ctx, 2*putTime+time.Duration(len(data)>>20)*time.Second)
	defer cancel()
	limited, release := h.link.During(limited)
	defer release()
	if _, err := h.weights.GetInfo(limited, digest); err == nil {
		return digest, nil
	} else if !errors.Is(err, jetstream.ErrObjectNotFound) {
		return "", &fault{fmt.Errorf("%s in %s: %w", what, h.o.Names.Weights(), err)}
	}
	if _, err := h.weights.PutBytes(limited, digest, data); err != nil {
		return "", &fault{fmt.Errorf("%s to %s: %w", what, h.o.Names.Weights(), err)}
	}
	return digest, nil
}

// tidy removes from WEIGHTS what no block needs.
func (h *Hub) tidy(ctx context.Context) {
	h.nets.Lock()
	defer h.nets.Unlock()
	needed := map[string]bool{}
	h.mu.Lock()
	for d := range h.matchNets {
		needed[d] = true
	}
	h.mu.Unlock()
	for _, d := range h.jobs {
		needed[d.block.Weights] = true
	}
	limited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	limited, release := h.link.During(limited)
	defer release()
	list, err := h.weights.List(limited)
	if err != nil {
		return // none, or the broker is away
	}
	for _, o := range list {
		if !needed[o.Name] {
			_ = h.weights.Delete(limited, o.Name) // next time
		}
	}
}
