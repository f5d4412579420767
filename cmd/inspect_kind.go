package cmd

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"tengen/arena"
	"tengen/checkpoints"
	"tengen/internal/atomicfile"
	"tengen/replay"
)

// Names within a run's folder; see docs/formats/run.md.
const (
	configName      = "config.yaml"
	checkpointsName = "checkpoints"
	replayName      = "replay"
	eventsName      = "events.jsonl"
	evaluationsName = "games.jsonl" // in the folder eval
	lockName        = "LOCK"
	manifestName    = "manifest.json" // of a checkpoint
	modelName       = "model.safetensors"
	averageName     = "average.safetensors"
)

// unknown is the error for what is nothing of tengen's.
func unknown(path, why string) error {
	return usagef("inspect %s: %s; `tengen inspect --help` lists what can be inspected", path, why)
}

// there says whether a folder holds something of this name.
func there(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// kindOfFolder says what a folder is, from the names in it.
func kindOfFolder(dir string) (string, error) {
	inside, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	if there(dir, checkpointsName) || there(dir, configName) && (there(dir, replayName) || there(dir, eventsName)) {
		return kindRun, nil
	}
	if there(dir, manifestName) || there(dir, modelName) {
		return kindCheckpoint, nil
	}
	list, err := checkpoints.List(dir)
	if err != nil {
		return "", err
	}
	segments, err := replay.Segments(atomicfile.OS{}, dir)
	if err != nil {
		return "", err
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	empty := len(inside) == 0 && there(filepath.Dir(absolute), configName)
	switch name := filepath.Base(absolute); {
	case len(list) > 0 || empty && name == checkpointsName:
		return kindCheckpoints, nil
	case len(segments) > 0 || empty && name == replayName:
		return kindReplay, nil
	case there(dir, arena.MatchFile):
		return kindMatch, nil
	}
	return "", unknown(dir, "a folder that holds neither a run nor checkpoints nor games")
}

// kindOfFile says what a file is, from its beginning and its name: what is
// damaged at its beginning is told by its name.
func kindOfFile(path string, size int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	head := make([]byte, 4096)
	n, err := io.ReadFull(f, head)
	f.Close()
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return "", err
	}
	head = head[:n]
	name, extension := filepath.Base(path), filepath.Ext(path)
	text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	inEval := filepath.Base(filepath.Dir(absolute)) == "eval"
	has := func(key string) bool { return bytes.Contains(text, []byte(`"`+key+`"`)) }
	switch {
	case bytes.HasPrefix(head, []byte("TENGENRG")) || extension == replay.Extension:
		return kindSegment, nil
	case extension == ".safetensors" || beginsLikeTensors(head, size):
		return kindTensors, nil
	case extension == ".onnx":
		return kindONNX, nil
	case name == eventsName:
		return kindEvents, nil
	case name == evaluationsName && inEval:
		return kindEvaluations, nil
	case name == arena.MatchFile || has("tengen match"):
		return kindMatch, nil
	case len(text) == 0:
		return "", unknown(path, "it is empty")
	case text[0] != '{':
		return "", unknown(path, fmt.Sprintf("nothing that tengen writes; it begins with %q", head[:min(len(head), 16)]))
	case has("event") && has("time"):
		return kindEvents, nil
	case has("evaluation") && has("scores") && !has("actions"):
		return kindEvaluations, nil
	case has("actions"):
		return kindGames, nil
	case has("tengen checkpoint") || name == "state.json":
		return "", unknown(path, "a part of a checkpoint; "+strings.TrimSuffix(filepath.Dir(path), string(filepath.Separator))+" is all of it")
	}
	return "", unknown(path, "JSON, but no game")
}

// beginsLikeTensors says whether a file begins with the length of a header that
// fits it, and the header's first letter.
func beginsLikeTensors(head []byte, size int64) bool {
	return len(head) > 8 && head[8] == '{' && binary.LittleEndian.Uint64(head) <= uint64(size-8)
}
