package evaluation

import (
	"testing"
	"time"
)

// TestBudget: evaluations take at most a tenth of the time, but for the first seconds,
// and one that is put off is made as soon as its time has come.
func TestBudget(t *testing.T) {
	at := time.Unix(1000, 0)
	b := newBudget(func() time.Time { return at }, Floor)
	evaluate := func(d time.Duration) {
		end := b.measure()
		at = at.Add(d)
		end()
	}
	if !b.allows(5*time.Second) || b.allows(6*time.Second) {
		t.Error("at the start 5 s are allowed")
	}
	b.played(100, 50*time.Second)
	at = at.Add(50 * time.Second)
	if got := b.expected(40); got != 20*time.Second || b.allows(got) {
		t.Errorf("40 games are expected to take %v, as in self-play, which is too long", got)
	}
	if !b.putOff() || b.putOff() {
		t.Error("that is told once")
	}
	at = at.Add(150 * time.Second)
	if !b.allows(b.expected(40)) {
		t.Error("after 200 s there are 20 for evaluations")
	}
	evaluate(40 * time.Second) // it took longer than it was thought
	if got := b.expected(10); got != 40*time.Second {
		t.Errorf("the next is expected to take %v, as the last did", got)
	}
	made := 1
	for range 1000 {
		at = at.Add(10 * time.Second)
		if b.allows(b.expected(10)) {
			evaluate(40 * time.Second)
			made++
		}
	}
	if all := at.Sub(time.Unix(1000, 0)); b.spent > all/10 || b.spent < all/12 || made < 20 {
		t.Errorf("%d evaluations take %v of %v", made, b.spent, all)
	}
	if !b.putOff() {
		t.Error("an evaluation that is put off after one was made is told")
	}
}
