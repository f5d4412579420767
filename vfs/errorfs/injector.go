package errorfs

import (
	"errors"
	"path/filepath"
)

// ErrInjected is the error of operations that At lets fail.
var ErrInjected = errors.New("injected fault")

// Kind is a kind of operation; kinds can be combined with |.
type Kind uint16

// The kinds of operations.
const (
	Open   Kind = 1 << iota // OpenFile for reading
	Create                  // OpenFile for writing
	Read                    // Read and ReadAt
	Write
	Sync
	Close
	Mkdir
	Rename
	Remove // RemoveAll
	List   // ReadDir
	Stat
	SyncDir
	Lock
)

var kindNames = map[Kind]string{
	Open: "open", Create: "create", Read: "read", Write: "write", Sync: "sync", Close: "close",
	Mkdir:  "mkdir",
	Rename: "rename", Remove: "remove", List: "list", Stat: "stat", SyncDir: "syncdir",
	Lock: "lock",
}

// String is the name of a single kind, as "syncdir".
func (k Kind) String() string { return kindNames[k] }

// Op is one operation.
type Op struct {
	Kind Kind   // a single one
	Path string // the old name of a Rename
}

// String is the kind and the path, as "sync runs/a/.b.tmp".
func (o Op) String() string { return o.Kind.String() + " " + o.Path }

// Injector returns the error with which an operation fails, or nil to carry it
// out. An FS calls it for one operation at a time, in their order.
type Injector func(op Op) error

// Predicate reports whether an operation is among those chosen.
type Predicate func(op Op) bool

// Fail lets operations fail with err for which all predicates hold.
func Fail(err error, when ...Predicate) Injector {
	chosen := All(when...)
	return func(op Op) error {
		if chosen(op) {
			return err
		}
		return nil
	}
}

// First returns the first error of injectors. All of them see every operation.
func First(injectors ...Injector) Injector {
	return func(op Op) (err error) {
		for _, inject := range injectors {
			if e := inject(op); err == nil {
				err = e
			}
		}
		return err
	}
}

// partial marks the error of an operation that is done by half.
type partial struct{ error }

func (p partial) Unwrap() error { return p.error }

// Partial returns err for an Injector: with it a write writes half of its bytes,
// and a removal removes half of a folder's content, before they fail with err.
// Other operations do nothing.
func Partial(err error) error { return partial{err} }

// All holds if all predicates do. It asks them in order, up to the first that does not.
func All(predicates ...Predicate) Predicate {
	return func(op Op) bool {
		for _, p := range predicates {
			if !p(op) {
				return false
			}
		}
		return true
	}
}

// OpKind holds for operations of the given kinds.
func OpKind(kinds Kind) Predicate { return func(op Op) bool { return op.Kind&kinds != 0 } }

// PathMatch holds if the last part of the path matches a pattern of filepath.Match.
func PathMatch(pattern string) Predicate {
	return func(op Op) bool {
		ok, err := filepath.Match(pattern, filepath.Base(op.Path))
		return ok && err == nil
	}
}

// OnIndex holds the nth time that it is asked, counted from 1.
func OnIndex(n int) Predicate {
	asked := 0
	return func(Op) bool {
		asked++
		return asked == n
	}
}

// FromIndex holds the nth time that it is asked, counted from 1, and ever after.
func FromIndex(n int) Predicate {
	asked := 0
	return func(Op) bool {
		asked++
		return asked >= n
	}
}

// Mode is a way in which operations fail from a point on.
type Mode int

// The modes.
const (
	Once Mode = iota // the operation does nothing and fails; later ones succeed
	Torn             // as Once, but the operation may be done by half (Partial)
	Dead             // as Torn, and all later operations fail: the process has died
)

// At lets the nth operation, counted from 1, fail with ErrInjected; 0: none.
func At(n int, mode Mode) Injector {
	switch {
	case n <= 0:
		return nil
	case mode == Once:
		return Fail(ErrInjected, OnIndex(n))
	case mode == Torn:
		return Fail(Partial(ErrInjected), OnIndex(n))
	}
	return First(Fail(Partial(ErrInjected), OnIndex(n)), Fail(ErrInjected, FromIndex(n+1)))
}
