// Release builds a release: for each platform an archive with a stripped static binary, man pages
// and completion of shells, and the licenses of all linked modules; a bill of materials of what
// each binary consists of; and their checksums.
//
//	go run ./tools/release                       # all platforms into dist/
//	go run ./tools/release --platform linux/arm64 --out /tmp/dist
//	go run ./tools/release --check               # builds everything twice and compares
//	go run ./tools/release --licenses FILE       # writes only the licenses of what is linked, for an image
//
// The version is that of the tag of the commit, or else git's description of it; `tengen version`
// prints it. The same commit, Go release and version give the same bytes: paths are trimmed, files
// have the time of the commit. The sizes of the binaries are printed, with a warning above 30 MB.
package main
