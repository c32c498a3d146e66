package color

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"grsplat/render/hdr"
)

// knownAnswers is the part of testdata/known-answers.json that this package must reproduce.
type knownAnswers struct {
	Blackbody struct {
		Rows []struct {
			T   float64
			RGB [3]float64
		}
		LogLuminance map[string]float64 `json:"log10_luminance_vs_5772"`
	} `json:"blackbody_linear_srgb"`
	Teff map[string]struct {
		Valid [2]float64
		Rows  map[string]float64
	}
	Bands map[string]any `json:"band_zero_points_vega"`
}

func answers(t *testing.T) (k knownAnswers) {
	t.Helper()
	data, err := os.ReadFile("../../testdata/known-answers.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &k); err != nil {
		t.Fatal(err)
	}
	return k
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestEmbeddedObserverIsTheCommittedOne(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("../../testdata/cie1931-2deg-1nm.csv")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal([]byte(observerCSV), want) {
		t.Fatal("render/color and testdata hold different observers")
	}
}

func TestBlackBodyKnownAnswers(t *testing.T) {
	t.Parallel()
	k := answers(t)
	if len(k.Blackbody.Rows) < 7 || len(k.Blackbody.LogLuminance) < 6 {
		t.Fatal("known answers are missing")
	}
	for name, table := range map[string]*Table{"table": NewTable(), "exact": NewExact()} {
		for _, row := range k.Blackbody.Rows {
			rgb, _ := table.Lookup(row.T)
			for c := range 3 {
				if d := math.Abs(rgb[c] - row.RGB[c]); !(d <= 2e-6) {
					t.Errorf("%s: component %d at %g K is %.7f, want %.6f", name, c, row.T, rgb[c], row.RGB[c])
				}
			}
			if d := math.Abs(hdr.Luminance(rgb) - 1); !(d < 1e-9) {
				t.Errorf("%s: luminance at %g K misses 1 by %g", name, row.T, d)
			}
		}
		_, sun := table.Lookup(5772)
		for temperature, want := range k.Blackbody.LogLuminance {
			_, logY := table.Lookup(number(t, temperature))
			if got := (logY - sun) / math.Ln10; !(math.Abs(got-want) <= 6e-7) {
				t.Errorf("%s: log luminance at %s K is %.7f, want %.6f", name, temperature, got, want)
			}
		}
	}
}

// The table is within 1e-7 of the integral: colour relative to its largest component, luminance relative to itself.
func TestTableAgainstIntegral(t *testing.T) {
	t.Parallel()
	table, exact := NewTable(), NewExact()
	var worstRGB, worstY float64
	const points = 20011
	for i := range points {
		kelvin := TableMin * math.Pow(TableMax/TableMin, (float64(i)+0.5)/points)
		a, la := table.Lookup(kelvin)
		b, lb := exact.Lookup(kelvin)
		scale := max(math.Abs(b[0]), math.Abs(b[1]), math.Abs(b[2]))
		for c := range 3 {
			worstRGB = max(worstRGB, math.Abs(a[c]-b[c])/scale)
		}
		worstY = max(worstY, math.Abs(math.Expm1(la-lb)))
	}
	t.Logf("largest relative error: colour %.2g, luminance %.2g", worstRGB, worstY)
	if !(worstRGB <= 1e-7 && worstY <= 1e-7) {
		t.Errorf("table is off by %.3g (colour) and %.3g (luminance)", worstRGB, worstY)
	}
}

// Outside the table the integral takes over without a step, at any temperature.
func TestExtremes(t *testing.T) {
	t.Parallel()
	table := NewTable()
	for _, kelvin := range []float64{1e-3, 1, 50, 99.999999, TableMin, TableMax, 1e9, 1e200} {
		rgb, logY := table.Lookup(kelvin)
		for _, x := range append(rgb[:], logY) {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("%g K gives %v, %v", kelvin, rgb, logY)
			}
		}
	}
	for _, edge := range []float64{TableMin, TableMax} {
		_, below := table.Lookup(edge * (1 - 1e-12))
		_, above := table.Lookup(edge * (1 + 1e-12))
		if !(math.Abs(below-above) < 1e-8) {
			t.Errorf("step of %g at %g K", above-below, edge)
		}
	}
	// In the Rayleigh-Jeans limit the luminance is proportional to T and the colour constant.
	_, a := table.Lookup(1e14)
	_, b := table.Lookup(1e15)
	if !(math.Abs(b-a-math.Ln10) < 1e-8) {
		t.Errorf("ten times hotter is %g times brighter", math.Exp(b-a))
	}
}

func TestShift(t *testing.T) {
	t.Parallel()
	table := NewTable()
	rgb, ratio := table.Shift(5000, 1.2)
	want, hot := table.Lookup(6000)
	_, cold := table.Lookup(5000)
	if rgb != want || ratio != math.Exp(hot-cold) {
		t.Errorf("Shift gives %v and %g", rgb, ratio)
	}
	if _, ratio = table.Shift(5000, 1); ratio != 1 {
		t.Errorf("no shift changes the luminance by %g", ratio)
	}
	if _, ratio = table.Shift(50, 1e100); math.IsInf(ratio, 0) || !(ratio > 0) {
		t.Errorf("an extreme blueshift gives %g", ratio)
	}
	if _, ratio = table.Shift(5000, 1e-6); ratio != 0 {
		t.Errorf("a star shifted out of sight keeps %g of its luminance", ratio)
	}
}

func TestTemperatureRelations(t *testing.T) {
	t.Parallel()
	k := answers(t)
	for name, f := range map[string]func(float64) (float64, bool){
		"ballesteros_2012_bv":         TeffBV,
		"casagrande_2010_jks":         TeffJKs,
		"mucciarelli_2021_bprp_dwarf": TeffBPRP,
		"mucciarelli_2021_bprp_giant": TeffBPRPGiant,
	} {
		rel, ok := k.Teff[name]
		if !ok {
			t.Fatalf("known answers lack %s", name)
		}
		for x, want := range rel.Rows {
			got, clamped := f(number(t, x))
			if clamped || !(math.Abs(got-want) <= 0.005+1e-9) {
				t.Errorf("%s(%s) = %.3f (clamped %v), want %.2f", name, x, got, clamped, want)
			}
		}
		for i, edge := range rel.Valid {
			inside, clamped := f(edge)
			if clamped {
				t.Errorf("%s clamps its own edge %g", name, edge)
			}
			outside, clamped := f(edge + float64(2*i-1)*0.1)
			if !clamped || outside != inside {
				t.Errorf("%s beyond %g gives %g, clamped %v", name, edge, outside, clamped)
			}
		}
		if got, clamped := f(math.NaN()); !math.IsNaN(got) || !clamped {
			t.Errorf("%s(NaN) = %g, clamped %v", name, got, clamped)
		}
	}
}

func TestBands(t *testing.T) {
	t.Parallel()
	known := answers(t).Bands
	for _, b := range Bands() {
		row, ok := known[b.Name].([]any)
		if !ok || row[0] != b.ZeroJy || row[1] != b.Wavelength {
			t.Errorf("band %v is not the known %v", b, row)
		}
	}
	if len(known) != len(Bands())+1 { // and "about"
		t.Errorf("%d bands for %d known ones", len(Bands()), len(known)-1)
	}
}

func TestToV(t *testing.T) {
	t.Parallel()
	if v := ToV("V", 3.25, 5772); v != 3.25 {
		t.Errorf("V to V gives %g", v)
	}
	if v := ToV("u", 3, 5772); !math.IsNaN(v) {
		t.Errorf("an unknown band gives %g", v)
	}
	// The flux densities of a band and of V stand in the ratio of Planck's law in frequency.
	planck := func(micron, kelvin float64) float64 {
		return math.Pow(micron, -3) / math.Expm1(secondRadiation/(micron*1e-6*kelvin))
	}
	for _, b := range Bands() {
		for _, kelvin := range []float64{2500, 5772, 9600, 40000} {
			v := ToV(b.Name, 7, kelvin)
			got := bands[0].ZeroJy * math.Pow(10, -0.4*v) / (b.ZeroJy * math.Pow(10, -0.4*7))
			want := planck(bands[0].Wavelength, kelvin) / planck(b.Wavelength, kelvin)
			if !(math.Abs(got/want-1) < 1e-12) {
				t.Errorf("%s at %g K: flux ratio %g, want %g", b.Name, kelvin, got, want)
			}
		}
	}
	// Vega is about 9600 K and near magnitude 0 in every band; a black body is within 0.2 mag of that in J and Ks.
	for _, band := range []string{"G", "J", "Ks"} {
		if v := ToV(band, 0, 9600); !(math.Abs(v) < 0.3) {
			t.Errorf("a 9600 K star of %s = 0 has V = %.3f", band, v)
		}
	}
	if v := ToV("J", 0, 100); math.IsNaN(v) || math.IsInf(v, 0) {
		t.Errorf("a cold star gives V = %g", v)
	}
}

func BenchmarkShift(b *testing.B) {
	table := NewTable()
	for i := range b.N {
		table.Shift(3000+float64(i&8191), 1.1)
	}
}

func BenchmarkNewTable(b *testing.B) {
	for range b.N {
		NewTable()
	}
}
