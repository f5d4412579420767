package analysis

import (
	"bufio"
	"bytes"
	"io"
)

// maxLine is the longest line that is read, in bytes.
const maxLine = 1 << 20

// lines reads lines of at most maxLine bytes.
type lines struct {
	r    *bufio.Reader
	line []byte
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReader(r)} }

// Next returns the next line without the spaces around it, until the next call; tooLong means that
// it was passed over. The error is io.EOF at the end.
func (l *lines) Next() (line []byte, tooLong bool, err error) {
	l.line = l.line[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if tooLong = tooLong || len(l.line)+len(part) > maxLine+1; !tooLong {
			l.line = append(l.line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && (tooLong || len(l.line) > 0): // the last line has no end
			err = nil
		}
		return bytes.TrimSpace(l.line), tooLong, err
	}
}
