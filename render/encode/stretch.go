package encode

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"grsplat/render/hdr"
)

// Stretch maps linear light to the range of a display: the hue-preserving asinh of Lupton et al. (2004, PASP 116, 133). Only
// the intensity passes through asinh, linear for faint light and logarithmic for bright, and the three components keep
// their ratios; a colour that leaves the display's range is scaled or drawn towards grey as a whole.
type Stretch struct {
	Q          float64 // softening: contrast between the brightest and the faintest that is shown; > 0
	Black      float64 // intensity shown as black
	White      float64 // intensity shown as white; > Black
	Saturation float64 // 1 keeps colours as they are, more deepens them, 0 is grey
}

// DefaultStretch suits an exposure at which the brightest stars peak near 1.
func DefaultStretch() Stretch { return Stretch{Q: 150, Black: 0, White: 1, Saturation: 1.5} }

// ParseStretch reads `name=value` pairs separated by commas, as in "q=300,white=0.5"; what is not named keeps its default.
// The names are q, black, white and saturation.
func ParseStretch(text string) (Stretch, error) {
	s := DefaultStretch()
	if strings.TrimSpace(text) == "" {
		return s, nil
	}
	for _, pair := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		v, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil {
			return s, fmt.Errorf("encode: stretch: %q is not name=number", pair)
		}
		switch strings.ToLower(name) {
		case "q":
			s.Q = v
		case "black":
			s.Black = v
		case "white":
			s.White = v
		case "saturation":
			s.Saturation = v
		default:
			return s, fmt.Errorf("encode: stretch: %q is none of q, black, white, saturation", name)
		}
	}
	return s, s.Validate()
}

// Validate says what is wrong with the parameters.
func (s Stretch) Validate() error {
	switch {
	case !(s.Q > 0 && s.Q <= 1e12):
		return fmt.Errorf("encode: stretch: q is %g, outside (0, 1e12]", s.Q)
	case !(math.Abs(s.Black) < 1e300 && s.White > s.Black && s.White < 1e300):
		return fmt.Errorf("encode: stretch: white %g is not above black %g", s.White, s.Black)
	case !(s.Saturation >= 0 && s.Saturation <= 10):
		return fmt.Errorf("encode: stretch: saturation is %g, outside [0, 10]", s.Saturation)
	}
	return nil
}

// String is the form that ParseStretch reads.
func (s Stretch) String() string {
	return fmt.Sprintf("q=%g,black=%g,white=%g,saturation=%g", s.Q, s.Black, s.White, s.Saturation)
}

// mapper is a Stretch with its constants worked out.
type mapper struct {
	Stretch
	gain, norm float64
}

func newMapper(s Stretch) mapper { return mapper{s, s.Q / (s.White - s.Black), 1 / math.Asinh(s.Q)} }

// display maps one pixel to linear light in [0,1]. The intensity is the luminance, which a negative component of a colour
// outside the sRGB triangle lowers as it should. NaN becomes black.
func (m *mapper) display(rgb [3]float64) [3]float64 {
	y := hdr.Luminance(rgb)
	if !(y > m.Black) || !(y > 0) {
		return [3]float64{}
	}
	target := min(math.Asinh((min(y, math.MaxFloat64/m.gain)-m.Black)*m.gain)*m.norm, 1)
	// Components about the target luminance, so that saturation and the repairs below leave it alone.
	var chroma [3]float64
	low, high := 0.0, 0.0
	for c, v := range rgb {
		chroma[c] = (v/y - 1) * m.Saturation
		low, high = min(low, chroma[c]), max(high, chroma[c])
	}
	// Draw towards grey until no component is negative.
	shrink := 1.0
	if low < -1 {
		shrink = -1 / low
	}
	// Too bright for its hue: Lupton's choice, darker with the ratios kept, would make the core of a bright star dimmer than
	// its rim, so half of the excess is taken from the saturation.
	if top := target * (1 + shrink*high); top > 1 {
		grey := (1/target - 1) / high
		shrink += (grey - shrink) * 0.5
		target = min(target, 1/(1+shrink*high))
	}
	for c := range chroma {
		chroma[c] = min(max(target*(1+shrink*chroma[c]), 0), 1)
	}
	return chroma
}

// transfer is the opto-electronic function of sRGB (IEC 61966-2-1) from linear [0,1] to code value [0,1].
func transfer(v float64) float64 {
	if v <= 0.0031308 {
		return 12.92 * v
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}
