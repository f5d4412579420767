package trainer

import (
	"errors"
	"fmt"
	"io/fs"

	"tengen/checkpoints"
	"tengen/configs"
	"tengen/internal/runid"
	"tengen/replay"
	"tengen/run"
)

// identify gives r.folder the run's identity: a new one, that of the run that is resumed, or for a
// run without one another, which its files carry from now on.
func (r *runner) identify(o *Options) (*run.Identity, error) {
	if !o.Resume {
		init := ""
		if o.Init != nil {
			init = o.Init.From + ", " + o.Init.Params.Digest()
		}
		id, err := run.NewIdentity(r.plan.Config, init, o.Now())
		if err == nil {
			r.folder = r.folder.Of(id)
		}
		return id, err
	}
	id, err := r.folder.ReadIdentity()
	if err != nil {
		return nil, fmt.Errorf("resume %s: %w", r.folder.Folder, err)
	}
	if id == nil {
		if id, err = r.adopted(o); err != nil {
			return nil, fmt.Errorf("resume %s: %w", r.folder.Folder, err)
		}
		if err := r.folder.Adopt(id); err != nil {
			return nil, err
		}
	}
	for _, c := range configs.Changes(id.Config, r.plan.Config) {
		if verdict, why := c.OnResume(); verdict == configs.Impossible {
			return nil, fmt.Errorf("resume %s: %s: %s", r.folder.Folder, c, why)
		}
	}
	r.folder = r.folder.Of(id)
	return id, nil
}

// adopted returns an identity for a run that has no run.json: the one that all its files carry, if
// the file was lost, or a new one, if an earlier version of the program began the run. It is an
// error if only some of its files carry one.
func (r *runner) adopted(o *Options) (*run.Identity, error) {
	config, err := o.Folder.On(r.folder.FS).ReadConfig()
	if err != nil {
		return nil, err
	}
	id, err := run.NewIdentity(config, "", o.Now())
	if err != nil {
		return nil, err
	}
	before := run.Unmarked{Iteration: -1, Segment: -1}
	var carried []runid.ID // by the files that can be read
	list, err := r.folder.Store().List()
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		before.Iteration = e.Iteration
		switch c, err := r.folder.Store().Load(e.Path); {
		case err == nil:
			carried = append(carried, c.Run)
		case errors.Is(err, fs.ErrPermission) || errors.Is(err, checkpoints.ErrVersion):
			return nil, err
		}
	}
	segments, err := replay.Segments(r.folder.FS, r.folder.Replay())
	if err != nil {
		return nil, err
	}
	for _, s := range segments {
		before.Segment = s.Number
	}
	runs, err := replay.Runs(r.folder.FS, r.folder.Replay())
	if err != nil {
		return nil, err
	}
	carried = append(carried, runs...)
	for _, c := range carried {
		if c != carried[0] {
			return nil, fmt.Errorf("%s is missing, and not all checkpoints and segments carry the same identity (%s and %s): put it back, or move those of another run away",
				r.folder.Identity(), carried[0], c)
		}
	}
	if len(carried) > 0 && carried[0] != 0 {
		id.ID = carried[0]
		r.log.Warn("the run's identity is missing: that of its checkpoints and games is taken, and nothing tells whether config.yaml was changed", "file", r.folder.Identity(), "identity", id.ID.String())
		return id, nil
	}
	id.Before = &before
	r.log.Info("an earlier version began the run: what it writes carries an identity from now on",
		"identity", id.ID.String())
	return id, nil
}
