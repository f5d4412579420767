package vfstest

import (
	"io/fs"
	"sync/atomic"

	"tengen/vfs"
)

// Counting is a file system that counts what is done with another. It is safe for concurrent use if
// the other is.
type Counting struct {
	vfs.FS

	operations, entries, read, written atomic.Int64
}

// Counts are what was done with a Counting.
type Counts struct {
	Operations int64 // calls of its methods and of its files', but for Lock and Close
	Entries    int64 // that ReadDir returned
	Read       int64 // bytes
	Written    int64 // bytes
}

// Counts returns what was done so far.
func (c *Counting) Counts() Counts {
	return Counts{c.operations.Load(), c.entries.Load(), c.read.Load(), c.written.Load()}
}

// Since returns what was done after an earlier count.
func (c Counts) Since(before Counts) Counts {
	return Counts{
		c.Operations - before.Operations, c.Entries - before.Entries, c.Read - before.Read,
		c.Written - before.Written,
	}
}

// OpenFile implements vfs.FS.
func (c *Counting) OpenFile(name string, flag int, perm fs.FileMode) (vfs.File, error) {
	c.operations.Add(1)
	f, err := c.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &countedFile{f, c}, nil
}

// Mkdir implements vfs.FS.
func (c *Counting) Mkdir(name string, perm fs.FileMode) error {
	c.operations.Add(1)
	return c.FS.Mkdir(name, perm)
}

// Rename implements vfs.FS.
func (c *Counting) Rename(from, to string) error {
	c.operations.Add(1)
	return c.FS.Rename(from, to)
}

// RemoveAll implements vfs.FS.
func (c *Counting) RemoveAll(name string) error {
	c.operations.Add(1)
	return c.FS.RemoveAll(name)
}

// ReadDir implements vfs.FS.
func (c *Counting) ReadDir(name string) ([]fs.DirEntry, error) {
	c.operations.Add(1)
	list, err := c.FS.ReadDir(name)
	c.entries.Add(int64(len(list)))
	return list, err
}

// Stat implements vfs.FS.
func (c *Counting) Stat(name string) (fs.FileInfo, error) {
	c.operations.Add(1)
	return c.FS.Stat(name)
}

// SyncDir implements vfs.FS.
func (c *Counting) SyncDir(name string) error {
	c.operations.Add(1)
	return c.FS.SyncDir(name)
}

// countedFile is a file of a Counting.
type countedFile struct {
	vfs.File
	c *Counting
}

func (f *countedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.c.operations.Add(1)
	f.c.read.Add(int64(n))
	return n, err
}

func (f *countedFile) ReadAt(p []byte, offset int64) (int, error) {
	n, err := f.File.ReadAt(p, offset)
	f.c.operations.Add(1)
	f.c.read.Add(int64(n))
	return n, err
}

func (f *countedFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.c.operations.Add(1)
	f.c.written.Add(int64(n))
	return n, err
}

func (f *countedFile) Sync() error {
	f.c.operations.Add(1)
	return f.File.Sync()
}

func (f *countedFile) Stat() (fs.FileInfo, error) {
	f.c.operations.Add(1)
	return f.File.Stat()
}
