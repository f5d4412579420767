//go:build gpu && !linux

package driver

// Open returns a *LibraryError: CUDA is supported on Linux only.
func Open() (API, error) {
	return nil, &LibraryError{Library: "libcuda.so.1", Advice: "the CUDA build runs on Linux"}
}
