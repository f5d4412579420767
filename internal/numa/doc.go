// Package numa tells which cores of a machine are near a device: on machines with several NUMA nodes, those of the
// node that the device is attached to.
//
//	near := numa.Read(os.DirFS("/sys")).Near("0000:3b:00.0")
//	if places.Take(near) {
//		err := numa.Bind(near) // this goroutine's thread runs on them alone
//	}
//
// The layout of /sys is that of Linux's Documentation/ABI/stable/sysfs-devices-node.
package numa
