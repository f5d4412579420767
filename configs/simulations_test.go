package configs

import "testing"

func TestSimulationsAt(t *testing.T) {
	s := Search{Simulations: 16}
	if n := s.SimulationsAt(7, 10); n != 16 || s.MeanSimulations() != 16 {
		t.Errorf("%d simulations, %d in the mean, of 16 all the time", n, s.MeanSimulations())
	}
	s.SimulationsEnd = 64
	sum := 0
	for iteration, want := range map[int]int{0: 16, 50: 32, 100: 64, 120: 64} {
		if n := s.SimulationsAt(iteration, 101); n != want {
			t.Errorf("iteration %d of 101 has %d simulations, want %d", iteration, n, want)
		}
	}
	for i := range 1001 {
		sum += s.SimulationsAt(i, 1001)
	}
	if mean := s.MeanSimulations(); mean != 35 || (sum+500)/1001 != mean {
		t.Errorf("the mean is %d, over 1,001 iterations %d; want 35", mean, sum/1001)
	}
	if n := s.SimulationsAt(0, 1); n != 16 {
		t.Errorf("the only iteration of a run has %d simulations, want 16", n)
	}
}
