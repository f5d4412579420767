package fake

import (
	"fmt"
	"testing"

	"tengen/nn/cuda/driver"
	"tengen/nn/cuda/internal/emulate"
)

// Ampere returns a driver with n emulated devices of compute capability 8.6 and UUIDs GPU-0,
// GPU-1, …, or skips the test.
func Ampere(t testing.TB, n int) driver.API {
	t.Helper()
	var o emulate.Options
	for i := range n {
		d := emulate.Ampere()
		d.UUID = fmt.Sprintf("GPU-%d", i)
		o.Devices = append(o.Devices, d)
	}
	return emulate.ForTest(t, o)
}

// Turing returns a driver with an emulated device of compute capability 7.5, or skips the test.
func Turing(t testing.TB) driver.API {
	t.Helper()
	return emulate.ForTest(t, emulate.Options{Devices: []driver.Device{emulate.Turing()}})
}

// Wrap returns a driver whose contexts are those of another one, wrapped.
func Wrap(api driver.API, wrap func(driver.Context) driver.Context) driver.API {
	return wrapped{api, wrap}
}

type wrapped struct {
	driver.API
	wrap func(driver.Context) driver.Context
}

func (w wrapped) Open(ordinal int) (driver.Context, error) {
	ctx, err := w.API.Open(ordinal)
	if err != nil {
		return nil, err
	}
	return w.wrap(ctx), nil
}

func (w wrapped) OpenSeparate(ordinal int) (driver.Context, error) {
	ctx, err := w.API.OpenSeparate(ordinal)
	if err != nil {
		return nil, err
	}
	return w.wrap(ctx), nil
}

// Compiling returns a driver that calls change with each source before it compiles it, and returns
// an error of change in place of an image. The source's headers may be replaced, but not changed.
func Compiling(api driver.API, change func(*driver.Source) error) driver.API {
	return Wrap(api, func(c driver.Context) driver.Context { return compiling{c, change} })
}

type compiling struct {
	driver.Context
	change func(*driver.Source) error
}

func (c compiling) Compile(s driver.Source) (image []byte, remarks string, err error) {
	if err := c.change(&s); err != nil {
		return nil, "", err
	}
	return c.Context.Compile(s)
}
