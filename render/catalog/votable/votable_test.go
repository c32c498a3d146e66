package votable

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"grsplat/render/catalog/table"
	"grsplat/render/catalog/table/tabletest"
)

func takeAll(*table.Info) error { return nil }

func FuzzVOTable(f *testing.F) {
	for _, pattern := range []string{"*.xml", "*.vot"} {
		tabletest.Seed(f, "../../../testdata/odd", pattern)
	}
	f.Add([]byte(document2("BINARY2", base64.StdEncoding.EncodeToString([]byte{0, 1, 2, 3, 4, 0, 0, 0, 1, 'x'}))))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := Open(bufio.NewReader(bytes.NewReader(data)), takeAll); err == nil {
			tabletest.Drain(t, r)
		}
	})
}

func document2(kind, stream string) string {
	return `<VOTABLE><RESOURCE><TABLE><FIELD name="a" datatype="int"><VALUES null="-1"/></FIELD><FIELD name="b" datatype="char" arraysize="*"/>` +
		`<DATA><` + kind + `><STREAM encoding="base64">` + stream + `</STREAM></` + kind + `></DATA></TABLE></RESOURCE></VOTABLE>`
}

// decode reads the first piece: column 0 as a number, column 1 as text.
func decode(t *testing.T, xml string) *table.Block {
	t.Helper()
	r, err := Open(bufio.NewReader(strings.NewReader(xml)), takeAll)
	if err != nil {
		t.Fatal(err)
	}
	want := []table.Want{{Column: 0, Kind: table.Number}, {Column: 1, Kind: table.Text}}
	var raw table.Raw
	b := &table.Block{}
	if err := r.Next(&raw); err != nil {
		t.Fatal(err)
	}
	if err := r.Decode(&raw, want, b); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBinary(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"BINARY", "BINARY2"} {
		var stream []byte
		for i, null := range []byte{0, 0x80, 0} {
			if kind == "BINARY2" {
				stream = append(stream, null)
			}
			stream = binary.BigEndian.AppendUint32(stream, uint32(i-1)) // -1 is the null value
			stream = binary.BigEndian.AppendUint32(stream, uint32(i))
			stream = append(stream, "xy"[:i]...)
		}
		text := base64.StdEncoding.EncodeToString(stream)
		b := decode(t, document2(kind, "\n  "+text[:7]+"\n "+text[7:]+"\n"))
		if b.Rows != 3 || !math.IsNaN(b.Num[0][0]) || b.Num[0][2] != 1 || string(b.Text[1][2]) != "xy" {
			t.Errorf("%s: %+v", kind, b)
		}
		if second := b.Num[0][1]; kind == "BINARY" && second != 0 || kind == "BINARY2" && !math.IsNaN(second) {
			t.Errorf("%s: second row is %g", kind, second)
		}
	}
}

func TestTableData(t *testing.T) {
	t.Parallel()
	b := decode(t, `<?xml version="1.0"?><v:VOTABLE xmlns:v="x"><v:RESOURCE><v:TABLE><v:FIELD name="a" datatype="int"><v:VALUES null="-9"/></v:FIELD><v:FIELD name="b" datatype="char"/>
<v:DATA><v:TABLEDATA><v:TR><v:TD>1</v:TD><v:TD><![CDATA[</TR>&]]></v:TD></v:TR><!-- <TR><TD>0</TD></TR> -->
<v:TR><v:TD>-9</v:TD><v:TD>a &lt;&#66;&#x43; &amp;amp; &unknown;</v:TD></v:TR>
<v:TR><v:TD/><v:TD  /></v:TR><v:TR><v:TD>4</v:TD></v:TR><v:TR><v:TD>5</v:TD><v:TD>5</v:TD><v:TD>too many</v:TD></v:TR>
</v:TABLEDATA></v:DATA></v:TABLE></v:RESOURCE></v:VOTABLE>`)
	wantText := []string{"</TR>&", "a <BC &amp; &unknown;", "", "", "5"}
	wantFault := []table.Fault{table.OK, table.OK, table.OK, table.TooFew, table.OK}
	for i := range wantText {
		if string(b.Text[1][i]) != wantText[i] || b.Fault[i] != wantFault[i] {
			t.Errorf("row %d: %q, fault %d", i, b.Text[1][i], b.Fault[i])
		}
	}
	if b.Rows != 5 || b.Num[0][0] != 1 || !math.IsNaN(b.Num[0][1]) || !math.IsNaN(b.Num[0][2]) {
		t.Errorf("%+v", b.Num[0])
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	bomb := `<?xml version="1.0"?><!DOCTYPE v [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><VOTABLE><INFO name="x" value="&b;"/></VOTABLE>`
	tests := []struct{ xml, want string }{
		{bomb, "invalid character entity"},
		{"<VOTABLE><RESOURCE>" + strings.Repeat("<TABLE>", 3), "unexpected EOF"},
		{`<VOTABLE><TABLE><FIELD name="a" datatype="int"/><DATA><FITS><STREAM href="http://x/y"/></FITS></DATA></TABLE></VOTABLE>`, "FITS inside VOTable"},
		{`<VOTABLE><TABLE><FIELD name="a" datatype="int"/><DATA><BINARY><STREAM encoding="base64" href="http://x/y"/></BINARY></DATA></TABLE></VOTABLE>`, "not fetched"},
		{`<VOTABLE><TABLE><FIELD name="a" datatype="int"/><DATA><BINARY><STREAM encoding="gzip">x</STREAM></BINARY></DATA></TABLE></VOTABLE>`, "not base64"},
		{`<VOTABLE><TABLE><FIELD name="a" datatype="int" arraysize="99999999999"/><DATA><BINARY><STREAM encoding="base64">x</STREAM></BINARY></DATA></TABLE></VOTABLE>`, "arraysize"},
		{`<VOTABLE><COOSYS ID="B" system="eq_FK4"/><TABLE><FIELD name="a" ref="B" datatype="int"/><DATA><TABLEDATA/></DATA></TABLE></VOTABLE>`, "FK4"},
		{`<?xml version="1.0" encoding="EBCDIC"?><VOTABLE/>`, "encoding"},
		{"<VOTABLE></VOTABLE>", "without a table"},
	}
	for _, tt := range tests {
		_, err := Open(bufio.NewReader(strings.NewReader(tt.xml)), takeAll)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.60s: %v; want %q", tt.xml, err, tt.want)
		}
	}
}
