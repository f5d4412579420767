#!/bin/sh
# Makes third_party/gorgonia anew from the module proxy: gorgonia v0.9.18 as it is, without
# the files of its build tag cuda, without those files' "!cuda", and without tests, examples
# and packages that nothing here imports. Run it from the repository's root; git diff then
# shows that nothing has changed.
set -eu
version=v0.9.18
folder=$(cd "${TMPDIR:-/tmp}" && GOFLAGS=-mod=mod go mod download -json "gorgonia.org/gorgonia@$version" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
to=third_party/gorgonia
rm -rf "$to"
mkdir -p "$to/internal/encoding"
cp "$folder"/*.go "$folder"/*.s "$folder/LICENSE" "$folder/go.mod" "$to"
cp "$folder"/internal/encoding/*.go "$to/internal/encoding"
chmod -R u+w "$to"
find "$to" -name '*_test.go' -delete
grep -lE '^// ?\+build cuda' "$to"/*.go | xargs rm
for f in $(grep -lE '^// ?\+build !cuda$' "$to"/*.go); do
	sed -i -E '/^\/\/ ?\+build !cuda$/d; /^\/\/go:build !cuda$/d' "$f"
done
