// Package table is the contract between the readers of catalogue formats and package catalog: a table has named columns and
// comes in raw pieces, read one after the other and decoded in parallel.
package table

// Column describes one column.
type Column struct {
	Name string
	UCD  string // unified content descriptor, of either version; may be empty
	Unit string // as the file spells it; may be empty
	Text bool   // the cells are strings (a text format that does not say leaves it false)
}

// Info describes a table.
type Info struct {
	Format  string // short name for reports
	Columns []Column
	Epoch   float64 // Julian year of the positions; 0: not said
	Note    string  // what a user should know of the file, or ""
}

// Kind is what a column's cells are read as.
type Kind uint8

// Kinds.
const (
	Number Kind = iota
	RightAscension
	Declination
	Text
)

// Want asks for one column.
type Want struct {
	Column int // index in Info.Columns
	Kind   Kind
}

// Fault says why a row as a whole could not be read.
type Fault uint8

// Faults.
const (
	OK Fault = iota
	TooFew
	TooMany
	Unparsable
)

// Raw is a piece of a table, not yet decoded. A reader's Next fills it, reusing Data's memory.
type Raw struct {
	Data  []byte
	First int64 // line (text formats) or row (others) of the first record, from 1
	Rows  int64 // where the format knows it
	Block Block // of a reader that decodes in Next
}

// Block is a decoded piece: column-major, reused from piece to piece. Text cells may point into the Raw.
type Block struct {
	Rows  int
	Line  []int64     // [row]
	Fault []Fault     // [row]
	Num   [][]float64 // [want][row]; NaN is missing; empty for Text wants
	Text  [][][]byte  // [want][row]; empty for other wants
}

// Reader reads one table. Next is called from one goroutine; Decode may run in several at once, on different pieces, and
// only after Next has returned them. Errors carry status 3 (package fail) where the file is at fault.
type Reader interface {
	Info() *Info
	// Next fills raw with the next piece, or returns io.EOF.
	Next(raw *Raw) error
	// Decode fills b with the wanted columns of raw.
	Decode(raw *Raw, want []Want, b *Block) error
}

// A Selector is a Reader whose Next decodes; it is told beforehand which columns are wanted.
type Selector interface{ Select(want []Want) }

// Reset empties b for the given wants.
func (b *Block) Reset(want []Want) {
	b.Rows = 0
	b.Line, b.Fault = b.Line[:0], b.Fault[:0]
	if len(b.Num) != len(want) {
		b.Num, b.Text = make([][]float64, len(want)), make([][][]byte, len(want))
	}
	for i := range want {
		b.Num[i], b.Text[i] = b.Num[i][:0], b.Text[i][:0]
	}
}

// Append adds a row of cells, one for each want, and returns the row's fault. A faulty row has NaN in every number.
func (b *Block) Append(line int64, fault Fault, want []Want, cells [][]byte) {
	for k, w := range want {
		if w.Kind == Text {
			cell := []byte(nil)
			if fault == OK {
				cell = cells[k]
			}
			b.Text[k] = append(b.Text[k], cell)
			continue
		}
		v := missing
		if fault == OK {
			var ok bool
			if v, ok = Parse(cells[k], w.Kind); !ok {
				fault = Unparsable
			}
		}
		b.Num[k] = append(b.Num[k], v)
	}
	b.Line = append(b.Line, line)
	b.Fault = append(b.Fault, fault)
	b.Rows++
}
