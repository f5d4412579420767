// Package machine tells what the machine has, what processes use of it, and which of its cores are
// near a device:
//
//	began := machine.CPUTime()
//	work()
//	took := machine.CPUTime() - began
//
//	u, err := machine.UsageOf(os.Getpid())
//	share := (u.CPU - earlier.CPU).Seconds() / seconds // of one core
//
//	has := machine.ReadMemory(os.DirFS("/")) // control groups count
//	machine.Collect(has, window, live, os.Getenv) // the garbage collector keeps within it
//
//	near := machine.ReadNodes(os.DirFS("/sys")).Near("0000:3b:00.0")
//	if places.Take(near) {
//		err := machine.Bind(near) // this goroutine's thread runs on them alone
//	}
//	machine.AdviseHugePages(make([]edge, 0, n)) // fewer misses of the TLB
//
// Caveats: much of it is known on Linux alone; what is unknown is 0. The layout of /sys is that of
// Linux's Documentation/ABI/stable/sysfs-devices-node.
package machine
