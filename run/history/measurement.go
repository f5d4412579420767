package history

// Measurement is an evaluation for people: by seat, with names, and null for what is
// unknown or infinite.
type Measurement struct {
	Iteration int          `json:"iteration"` // of the evaluated network
	Against   string       `json:"against"`   // "" if unknown
	Games     int          `json:"games"`     // for each seat; 0 if unknown
	Seats     []SeatPoints `json:"seats"`
	Sum       float64      `json:"sum"`
	CI95      *float64     `json:"sum_ci95"` // half the width of its interval
}

// SeatPoints is the mean score in one seat.
type SeatPoints struct {
	Seat     string   `json:"seat"`
	Points   float64  `json:"points"`
	CI95     *float64 `json:"ci95"`
	Baseline *float64 `json:"baseline"` // UCT's in all seats
}

// Measured returns the last evaluation, nil if there is none.
func (r *Run) Measured() *Measurement {
	n := len(r.Evaluations.Rows)
	if n == 0 {
		return nil
	}
	e := r.Evaluations.Rows[n-1]
	s := e.Strength
	m := &Measurement{
		Iteration: e.Iteration, Against: s.Against, Games: s.Games, Sum: s.Sum,
		CI95: s.SumCI.Finite(),
	}
	for i, points := range s.Points {
		seat := SeatPoints{Points: points, CI95: s.CI[i].Finite()}
		if i < len(r.Seats) {
			seat.Seat = r.Seats[i]
		}
		if i < len(s.Baseline) {
			seat.Baseline = &s.Baseline[i]
		}
		m.Seats = append(m.Seats, seat)
	}
	return m
}
