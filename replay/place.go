package replay

// Offset is where the reader stands: at 0, or where the next record begins. It
// goes with MoveTo, of this reader or of another one on the same segment.
func (r *Reader) Offset() int64 { return r.pos }

// MoveTo moves the reader to an offset that Offset has told. Games read from then
// on are not compared with those read before.
func (r *Reader) MoveTo(offset int64) {
	r.pos, r.good, r.last = offset, 0, 0
}

// Skip passes over the next record without reading its game. Its errors are
// those of Next; damage within the record is found only by Next.
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
