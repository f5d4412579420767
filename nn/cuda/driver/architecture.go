package driver

import "fmt"

// architecture returns NVRTC's target: a device's own code or, if the compiler does not know the
// device, PTX of an earlier generation, which the driver compiles. supported are the compiler's
// architectures, version is its CUDA version.
func architecture(
	capability int, supported []int, version int,
) (option string, ptx bool, err error) {
	best := 0
	for _, a := range supported {
		// 10.1 is a family of its own, whose later name is 11.0.
		if a <= capability && (a != 101 || capability == 101) {
			best = max(best, a)
		}
	}
	switch {
	case best == 0:
		return "", false,
			fmt.Errorf("NVRTC %s can't compile for compute capability %d.%d",
				versionText(version), capability/10, capability%10)
	case best < capability:
		return fmt.Sprintf("compute_%d", best), true, nil
	case best == 90 && version >= 12000:
		return "sm_90a", false, nil // with wgmma, which CUDA 11 lacks
	}
	return fmt.Sprintf("sm_%d", best), false, nil
}

// options returns NVRTC's options for a source.
func (s *Source) options(architecture string) []string {
	o := []string{"--gpu-architecture=" + architecture, "--std=c++17"}
	if !s.Precise {
		o = append(o, "--use_fast_math")
	}
	if s.MaxRegisters > 0 {
		o = append(o, fmt.Sprintf("--maxrregcount=%d", s.MaxRegisters))
	}
	for _, d := range s.Defines {
		o = append(o, "--define-macro="+d)
	}
	return o
}
