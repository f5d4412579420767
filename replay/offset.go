package replay

// Offset returns the reader's offset: 0, or the beginning of the next record. It is
// valid for MoveTo of any reader on the same segment.
func (r *Reader) Offset() int64 { return r.pos }

// MoveTo moves the reader to an offset that Offset returned. The numbers of the games
// after it are not compared with those before it.
func (r *Reader) MoveTo(offset int64) {
	r.pos, r.good, r.last = offset, 0, 0
}

// Skip skips the next record without reading its game. Its errors are those of Next,
// but it does not detect damage of the payload.
func (r *Reader) Skip() error {
	if r.err != nil {
		return r.err
	}
	s, err := r.find()
	if err != nil {
		return err
	}
	r.pos += s.whole()
	return nil
}
