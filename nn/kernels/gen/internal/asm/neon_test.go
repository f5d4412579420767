package asm

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tengen/internal/random"
)

func elementName(register, index int) string { return fmt.Sprintf("F%d[%d]", register, index) }

var call = regexp.MustCompile(`^([A-Z0-9]+)\(([0-9, ]+)\)$`)

// neon executes an instruction of arm64.
func (e *emulator) neon(text string) {
	if m := call.FindStringSubmatch(text); m != nil {
		var o []int
		for s := range strings.SplitSeq(m[2], ", ") {
			n, err := strconv.Atoi(s)
			if err != nil {
				e.t.Fatal(err)
			}
			o = append(o, n)
		}
		get := func(i int) float64 { return e.get(fmt.Sprintf("F%d", o[i])) }
		to := fmt.Sprintf("F%d", o[len(o)-1])
		switch m[1] {
		case "FADD4S":
			e.set(to, get(1)+get(0))
		case "FSUB4S":
			e.set(to, get(1)-get(0))
		case "FMUL4S":
			e.set(to, get(1)*get(0))
		case "FDIV4S":
			e.set(to, get(1)/get(0))
		case "FMAX4S":
			e.set(to, max(get(1), get(0)))
		case "FSQRT4S":
			e.set(to, math.Sqrt(get(0)))
		case "FNEG4S":
			e.set(to, -get(0))
		case "FCMGT4S":
			v := 0.0
			if get(0) > 0 {
				v = math.NaN()
			}
			e.set(to, v)
		case "FMUL1S":
			e.set(to, get(2)*e.get(elementName(o[0], o[1])))
		case "FMLA1S":
			e.set(to, get(3)+get(2)*e.get(elementName(o[0], o[1])))
		case "FMLS1S":
			e.set(to, get(3)-get(2)*e.get(elementName(o[0], o[1])))
		default:
			e.t.Fatalf("unknown instruction %s", text)
		}
		return
	}
	name, rest, _ := strings.Cut(text, " ")
	if name == "VMOVQ" { // a literal
		var low, high uint64
		var to int
		if _, err := fmt.Sscanf(rest, "$0x%x, $0x%x, V%d", &low, &high, &to); err != nil ||
			low != high || low>>32 != low&math.MaxUint32 {
			e.t.Fatalf("%s: %v", text, err)
		}
		e.set(fmt.Sprintf("F%d", to), float64(math.Float32frombits(uint32(low))))
		return
	}
	o := strings.Split(rest, ", ")
	for i, s := range o {
		if r, kind, ok := strings.Cut(s, "."); ok && (kind == "S4" || kind == "B16") {
			o[i] = "F" + strings.TrimPrefix(r, "V")
		}
	}
	last := o[len(o)-1]
	switch name {
	case "FMOVQ":
		if !e.isRegister(o[0]) && !e.isRegister(last) {
			e.t.Fatalf("%s: from memory to memory", text)
		}
		e.set(last, e.get(o[0]))
	case "VMOV":
		e.set(last, e.get(o[0]))
	case "VAND":
		if math.IsNaN(e.get(o[1])) {
			e.set(last, e.get(o[0]))
		} else {
			e.set(last, 0)
		}
	case "VEOR":
		e.set(last, 0)
	case "VFMLA":
		e.set(last, e.get(last)+e.get(o[1])*e.get(o[0]))
	case "VFMLS":
		e.set(last, e.get(last)-e.get(o[1])*e.get(o[0]))
	default:
		e.t.Fatalf("unknown instruction %s", text)
	}
}

// encode returns a macro's instruction, as Go's assembler would compute it.
func encode(t *testing.T, m macro, operands []int) uint32 {
	t.Helper()
	head, body, _ := strings.Cut(strings.TrimSpace(m.String()), ") WORD $")
	names := strings.Split(head[strings.Index(head, "(")+1:], ", ")
	if len(names) != len(operands) {
		t.Fatalf("%s has the operands %v", m.name, names)
	}
	for i, n := range names {
		body = strings.ReplaceAll(body, "("+n+")", fmt.Sprintf("(%d)", operands[i]))
	}
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, body)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	word, ok := constant.Uint64Val(v.Value)
	if !ok || word > math.MaxUint32 {
		t.Fatalf("%s is %v", body, v.Value)
	}
	return uint32(word)
}

// gnu returns an instruction in the syntax of GNU's assembler.
func gnu(m macro, o []int) string {
	mnemonic := strings.ToLower(m.name[:len(m.name)-2])
	d := o[len(o)-1]
	switch {
	case mnemonic == "fcmgt":
		return fmt.Sprintf("fcmgt v%d.4s, v%d.4s, #0.0", d, o[0])
	case m.operands == "nd":
		return fmt.Sprintf("%s v%d.4s, v%d.4s", mnemonic, d, o[0])
	case m.operands == "mind":
		return fmt.Sprintf("%s v%d.4s, v%d.4s, v%d.s[%d]", mnemonic, d, o[2], o[0], o[1])
	}
	return fmt.Sprintf("%s v%d.4s, v%d.4s, v%d.4s", mnemonic, d, o[1], o[0])
}

// encodings are from GNU as 2.40.
var encodings = []struct {
	name     string
	operands []int
	word     uint32
}{
	{"FADD4S", []int{16, 22, 1}, 0x4e30d6c1},     // fadd v1.4s, v22.4s, v16.4s
	{"FADD4S", []int{29, 15, 3}, 0x4e3dd5e3},     // fadd v3.4s, v15.4s, v29.4s
	{"FSUB4S", []int{10, 7, 23}, 0x4eaad4f7},     // fsub v23.4s, v7.4s, v10.4s
	{"FSUB4S", []int{30, 15, 24}, 0x4ebed5f8},    // fsub v24.4s, v15.4s, v30.4s
	{"FMUL4S", []int{6, 15, 0}, 0x6e26dde0},      // fmul v0.4s, v15.4s, v6.4s
	{"FMUL4S", []int{13, 26, 17}, 0x6e2ddf51},    // fmul v17.4s, v26.4s, v13.4s
	{"FDIV4S", []int{11, 24, 10}, 0x6e2bff0a},    // fdiv v10.4s, v24.4s, v11.4s
	{"FDIV4S", []int{4, 8, 28}, 0x6e24fd1c},      // fdiv v28.4s, v8.4s, v4.4s
	{"FMAX4S", []int{8, 8, 0}, 0x4e28f500},       // fmax v0.4s, v8.4s, v8.4s
	{"FMAX4S", []int{0, 13, 13}, 0x4e20f5ad},     // fmax v13.4s, v13.4s, v0.4s
	{"FSQRT4S", []int{10, 10}, 0x6ea1f94a},       // fsqrt v10.4s, v10.4s
	{"FSQRT4S", []int{18, 20}, 0x6ea1fa54},       // fsqrt v20.4s, v18.4s
	{"FNEG4S", []int{12, 13}, 0x6ea0f98d},        // fneg v13.4s, v12.4s
	{"FNEG4S", []int{11, 12}, 0x6ea0f96c},        // fneg v12.4s, v11.4s
	{"FCMGT4S", []int{24, 19}, 0x4ea0cb13},       // fcmgt v19.4s, v24.4s, #0.0
	{"FCMGT4S", []int{1, 23}, 0x4ea0c837},        // fcmgt v23.4s, v1.4s, #0.0
	{"FMUL1S", []int{26, 1, 9, 16}, 0x4fba9130},  // fmul v16.4s, v9.4s, v26.s[1]
	{"FMUL1S", []int{4, 2, 19, 0}, 0x4f849a60},   // fmul v0.4s, v19.4s, v4.s[2]
	{"FMLA1S", []int{21, 1, 19, 22}, 0x4fb51276}, // fmla v22.4s, v19.4s, v21.s[1]
	{"FMLA1S", []int{19, 2, 20, 11}, 0x4f931a8b}, // fmla v11.4s, v20.4s, v19.s[2]
	{"FMLS1S", []int{30, 1, 11, 3}, 0x4fbe5163},  // fmls v3.4s, v11.4s, v30.s[1]
	{"FMLS1S", []int{16, 2, 22, 25}, 0x4f905ad9}, // fmls v25.4s, v22.4s, v16.s[2]
}

// TestEncodings compares the macros with GNU's assembler: with known encodings, and with random
// ones if it is installed.
func TestEncodings(t *testing.T) {
	known := map[string]macro{}
	seen := map[string]int{}
	for _, m := range macros {
		known[m.name] = m
	}
	for _, c := range encodings {
		seen[c.name]++
		if got := encode(t, known[c.name], c.operands); got != c.word {
			t.Errorf("%s is %#08x, want %#08x", gnu(known[c.name], c.operands), got, c.word)
		}
	}
	for _, m := range macros {
		if seen[m.name] < 2 {
			t.Errorf("%s is compared with %d encodings, want 2", m.name, seen[m.name])
		}
	}
	as, err := exec.LookPath("aarch64-linux-gnu-as")
	if err != nil {
		t.Skip("aarch64-linux-gnu-as is not installed")
	}
	rng := random.New(3, random.Test)
	var source strings.Builder
	var want []byte
	for _, m := range macros {
		for range 100 {
			var o []int
			for i := range len(m.operands) {
				n := 32
				if m.operands[i] == 'i' {
					n = 4
				}
				o = append(o, rng.IntN(n))
			}
			fmt.Fprintln(&source, gnu(m, o))
			w := encode(t, m, o)
			want = append(want, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
		}
	}
	folder := t.TempDir()
	file, object := filepath.Join(folder, "x.s"), filepath.Join(folder, "x.o")
	if err := os.WriteFile(file, []byte(source.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(as, "-o", object, file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := os.ReadFile(object)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(got), string(want)) {
		t.Error("the macros' instructions are not those of aarch64-linux-gnu-as")
	}
}

// TestWindow computes what the registers of a window hold, and with them the addresses that it
// returns.
func TestWindow(t *testing.T) {
	rng := random.New(4, random.Test)
	bases := map[string]int{"R0": 1 << 30, "R1": 2 << 30}
	registers := map[string]int{}
	added := 0
	w := &window{write: func(format string, args ...any) {
		var n int
		var base, to string
		text := strings.ReplaceAll(fmt.Sprintf(format, args...), ",", "")
		if _, err := fmt.Sscanf(text, "ADD $%d %s %s", &n, &base, &to); err != nil || n%4096 != 0 ||
			bases[base] == 0 || bases[to] != 0 {
			t.Fatalf("%s: %v", text, err)
		}
		added++
		registers[to] = bases[base] + n
	}}
	for range 3000 {
		base, by := []string{"R0", "R1"}[rng.IntN(2)], []int{1 << 15, 1 << 16}[rng.IntN(2)]
		offset := 16 * rng.IntN(1<<16)
		if rng.IntN(2) == 0 {
			offset %= by
		}
		address := w.reach(fmt.Sprintf("%d(%s)", offset, base), by)
		var at int
		var register string
		if _, err := fmt.Sscanf(address, "%d(%s", &at, &register); err != nil ||
			at < 0 || at >= by {
			t.Fatalf("%d(%s) is %s", offset, base, address)
		}
		register = strings.TrimSuffix(register, ")")
		from, ok := registers[register]
		if !ok {
			from = bases[register]
		}
		if from+at != bases[base]+offset {
			t.Fatalf("%d(%s) is %s, where %s holds %d", offset, base, address, register, from)
		}
	}
	if got := w.reach("symbol", 1<<16); got != "symbol" {
		t.Errorf("symbol is %s", got)
	}
	if len(registers) != len(windows) || added <= len(windows) || added > 2500 {
		t.Errorf("%d additions to %d registers", added, len(registers))
	}
}
