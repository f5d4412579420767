package train

import "tengen/nn"

// addValues counts in c the values of rows 0 to rows-1 of the network's last run. targets
// begins with the first row's.
func addValues(c *nn.Calibration, n *network[float32], rows int, targets []float32) {
	s := &n.spec
	outputs := s.Outputs()
	if s.Value != nn.ValueCategorical {
		for i, v := range data[float32](n.valueLogits.Value())[:rows*s.Players] {
			c.Count(float64(v), float64(targets[i]))
		}
		return
	}
	p := n.valueLoss.(*crossEntropy[float32]).p
	for i := range rows * s.Players {
		predicted, target := 0.0, 0.0
		for k, utility := range s.Support {
			predicted += float64(p[i*outputs+k]) * float64(utility)
			target += float64(targets[i*outputs+k]) * float64(utility)
		}
		c.Count(predicted, target)
	}
}
