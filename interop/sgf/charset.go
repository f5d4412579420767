package sgf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// charset is an encoding of text.
type charset struct {
	name  string
	codec encoding.Encoding // nil: UTF-8
	wide  bool              // second bytes of characters can look like ASCII
	// char returns the number of bytes of the character that b begins with, whose first byte has
	// begun one, and how plausible it is in a record of Go: above 0 if it is frequent, below 0 if
	// it is rare. It is nil where that is never asked.
	char   func(b []byte) (width, points int)
	common string           // characters that are frequent in records of Go
	unit   int              // bytes of a unit: 2 in UTF-16
	order  binary.ByteOrder // of UTF-16
	escape bool             // characters begin with ESC
}

// begins reports whether a byte begins a character that is no ASCII.
func (c *charset) begins(b byte) bool { return b >= utf8.RuneSelf || c.escape && b == 0x1b }

// single reports whether no character has several bytes by the standards of East Asia.
func (c *charset) single() bool { return c.char == nil || c == latin || c == asUTF8 }

// What a character says for an encoding.
const (
	frequent   = 1
	script     = 2  // a letter of a syllabary, which other encodings would have to hit by chance
	common     = 4  // one of charset.common
	seldom     = -1 // a character of the second level of a standard
	odd        = -3 // one that few programs can write
	impossible = -10
)

var (
	asUTF8  = &charset{name: "UTF-8", char: utf8Char}
	utf16LE = &charset{
		name: "UTF-16", codec: unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), unit: 2,
		order: binary.LittleEndian,
	}
	utf16BE = &charset{
		name: "UTF-16", codec: unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), unit: 2,
		order: binary.BigEndian,
	}
	latin   = &charset{name: "Latin-1", codec: charmap.Windows1252, char: latinChar}
	gb18030 = &charset{
		name: "GB18030", codec: simplifiedchinese.GB18030, wide: true, char: gbChar,
		common: chinese + "国韩胜负围对让贴盘时赢输张刘陈杨赵吴孙马卫亚讯弈战",
	}
	big5 = &charset{
		name: "Big5", codec: traditionalchinese.Big5, wide: true, char: big5Char,
		common: chinese + "國韓勝負圍對讓貼盤時贏輸張劉陳楊趙吳孫馬衛亞訊弈戰",
	}
	shiftJIS = &charset{
		name: "Shift-JIS", codec: japanese.ShiftJIS, wide: true, char: shiftJISChar, common: kanji,
	}
	eucJP = &charset{name: "EUC-JP", codec: japanese.EUCJP, char: eucJPChar, common: kanji}
	eucKR = &charset{
		name: "EUC-KR", codec: korean.EUCKR, wide: true, char: eucKRChar,
		common: "한국중일본흑백승패집반단기바둑대국선덤수전의이가은는을를다고지하김박최정강조윤장임신서창호세돌환현준영진동원성민상철",
	}
	iso2022JP = &charset{
		name: "ISO-2022-JP", codec: japanese.ISO2022JP, wide: true, char: escapedChar, escape: true,
	}
)

// The frequent characters of names and results.
const (
	chinese = "中日本白目子段棋局先半的是不了在人有我一二三四五六七八九十王李周徐朱胡古常柯范江"
	kanji   = "日本中国韓黒白勝負目子段碁戦局先手番半時間一二三四五六七八九十山田井木村高大小林藤野川石上原名人棋聖因坊杯"
)

// charsets are the encodings by the names that files give them in CA, of which capital letters and
// signs do not count.
var charsets = named(map[*charset]string{
	asUTF8:    "utf8 utf unicode 65001 cp65001",
	latin:     "usascii ascii iso88591 latin1 windows1252 cp1252 ansi",
	gb18030:   "gb18030 gbk gb2312 gb231280 euccn chinese cp936 ms936 windows936 936 xgbk",
	big5:      "big5 big5hkscs big5eten cnbig5 xxbig5 cp950 ms950 windows950 950",
	shiftJIS:  "shiftjis sjis xsjis mskanji windows31j cp932 ms932 windows932 932",
	eucJP:     "eucjp xeucjp ujis",
	eucKR:     "euckr ksc56011987 ksc5601 ksx1001 korean uhc cp949 ms949 windows949 949",
	iso2022JP: "iso2022jp jis",
})

func named(names map[*charset]string) map[string]*charset {
	all := map[string]*charset{}
	for _, e := range charmap.All {
		name := fmt.Sprint(e)
		all[squeezed(name)] = &charset{name: name, codec: e}
	}
	for c, list := range names {
		for name := range strings.FieldsSeq(list) {
			all[name] = c
		}
	}
	return all
}

// charsetOf returns the encoding that CA names, or nil.
func charsetOf(name string) *charset {
	name = squeezed(name)
	if c := charsets[name]; c != nil {
		return c
	}
	return charsets["windows"+strings.TrimPrefix(name, "cp")]
}

// squeezed returns the letters and digits of a name.
func squeezed(name string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (isLetter(byte(r)) || isDigit(byte(r))) {
			return r
		}
		return -1
	}, strings.ToLower(name))
}

func utf8Char(b []byte) (width, points int) {
	r, n := utf8.DecodeRune(b)
	switch {
	case r == utf8.RuneError && n < 2:
		return 1, impossible
	case n == 2:
		return 2, script
	}
	return n, 2 * common
}

func latinChar(b []byte) (width, points int) {
	switch next := len(b) > 1 && b[1] >= 0x80; {
	case b[0] >= 0xc0 && !next:
		return 1, frequent
	case b[0] >= 0xa0 || b[0] >= 0x91 && b[0] <= 0x97:
		return 1, seldom
	}
	return 1, odd
}

func gbChar(b []byte) (width, points int) {
	switch second := at(b, 1); {
	case b[0] == 0x80 || b[0] == 0xff || second == 0xff || second < 0x30 || second == 0x7f:
	case second < 0x40:
		if second < 0x3a && at(b, 2) >= 0x81 && at(b, 2) < 0xff && isDigit(at(b, 3)) {
			return 4, odd
		}
	case second < 0xa1:
		return 2, odd
	case b[0] >= 0xb0 && b[0] <= 0xd7 || b[0] >= 0xa1 && b[0] <= 0xa3:
		return 2, frequent
	case b[0] >= 0xd8 && b[0] <= 0xf7:
		return 2, seldom
	default:
		return 2, odd
	}
	return 1, impossible
}

func big5Char(b []byte) (width, points int) {
	switch second := at(b, 1); {
	case b[0] == 0x80 || b[0] == 0xff || second < 0x40 || second > 0x7e && second < 0xa1 ||
		second == 0xff:
		return 1, impossible
	case b[0] >= 0xa1 && b[0] <= 0xc6:
		return 2, frequent
	case b[0] >= 0xc9 && b[0] <= 0xf9:
		return 2, seldom
	}
	return 2, odd
}

func shiftJISChar(b []byte) (width, points int) {
	switch second := at(b, 1); {
	case b[0] >= 0xa1 && b[0] <= 0xdf:
		return 1, seldom // narrow katakana
	case b[0] == 0x80 || b[0] == 0xa0 || b[0] > 0xfc || second < 0x40 || second == 0x7f ||
		second > 0xfc:
		return 1, impossible
	case b[0] == 0x82 && second >= 0x9f || b[0] == 0x83 && second <= 0x96:
		return 2, script
	case b[0] == 0x81 || b[0] == 0x82 || b[0] >= 0x88 && b[0] <= 0x98:
		return 2, frequent
	case b[0] >= 0x99 && b[0] <= 0xea:
		return 2, seldom
	}
	return 2, odd
}

func eucJPChar(b []byte) (width, points int) {
	switch second, third := at(b, 1), at(b, 2); {
	case b[0] == 0x8e && second >= 0xa1 && second <= 0xdf:
		return 2, seldom
	case b[0] == 0x8f && second >= 0xa1 && third >= 0xa1:
		return 3, odd
	case b[0] < 0xa1 || b[0] == 0xff || second < 0xa1 || second == 0xff:
		return 1, impossible
	case b[0] == 0xa4 || b[0] == 0xa5:
		return 2, script
	case b[0] <= 0xa3 || b[0] >= 0xb0 && b[0] <= 0xcf:
		return 2, frequent
	case b[0] >= 0xd0 && b[0] <= 0xf4:
		return 2, seldom
	}
	return 2, odd
}

func eucKRChar(b []byte) (width, points int) {
	switch second := at(b, 1); {
	case b[0] == 0x80 || b[0] > 0xfe || second < 0x41 || second > 0x5a && second < 0x61 ||
		second > 0x7a && second < 0x81 || second == 0xff:
		return 1, impossible
	case second < 0xa1 || b[0] < 0xa1:
		return 2, odd
	case b[0] >= 0xb0 && b[0] <= 0xc8:
		return 2, frequent
	}
	return 2, seldom
}

// escapedChar reads from an escape sequence, after which characters have two bytes of ASCII, to the
// one that ends them.
func escapedChar(b []byte) (width, points int) {
	if len(b) < 3 || b[1] != '$' {
		return 1, 0
	}
	end := bytes.Index(b, []byte("\x1b("))
	if end < 0 || end+3 > len(b) {
		return len(b), impossible
	}
	return end + 3, frequent
}

// at returns a byte, 0 after the end.
func at(b []byte, i int) byte {
	if i < len(b) {
		return b[i]
	}
	return 0
}
