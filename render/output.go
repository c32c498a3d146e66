package render

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"grsplat/render/encode"
	"grsplat/render/hdr"
	"grsplat/render/lens"
	"grsplat/render/outfile"
	"grsplat/render/sink"
)

// outputs are the files of a render, opened before the work begins and named only after all of them are written.
type outputs struct {
	png, fits, report, capture, lensMap *outfile.File
}

func openOutputs(c *Config) (*outputs, error) {
	o := &outputs{}
	for _, out := range []struct {
		path string
		file **outfile.File
	}{{c.Output, &o.png}, {c.HDROutput, &o.fits}, {c.Report, &o.report}, {c.Capture, &o.capture}, {c.MapOutput, &o.lensMap}} {
		if out.path == "" {
			continue
		}
		f, err := outfile.Create(out.path, c.Force)
		if err != nil {
			o.abort()
			return nil, err
		}
		*out.file = f
	}
	return o, nil
}

func (o *outputs) all() []*outfile.File {
	return slices.DeleteFunc([]*outfile.File{o.png, o.fits, o.report, o.capture, o.lensMap}, func(f *outfile.File) bool { return f == nil })
}

func (o *outputs) abort() {
	for _, f := range o.all() {
		f.Abort()
	}
}

func (o *outputs) commit() error { return outfile.CommitAll(o.all()) }

// images writes the PNG and the FITS file, whichever are wanted.
func (o *outputs) images(c *Config, frame *hdr.Frame, sums *hdr.Sums, header encode.Header) error {
	if o.png != nil {
		if err := encode.WritePNG(o.png, frame, c.PNGDepth, c.Stretch); err != nil {
			return err
		}
	}
	if o.fits == nil {
		return nil
	}
	switch c.HDRPrecision {
	case "exact":
		return encode.WriteSums(o.fits, sums, header)
	case "f64":
		return encode.WriteFITS(o.fits, frame, -64, header)
	}
	return encode.WriteFITS(o.fits, frame, -32, header)
}

// fitsHeader says where the image comes from. Only flat space seen by an observer at rest has celestial coordinates.
func fitsHeader(c *Config) (encode.Header, error) {
	date, err := encode.Date()
	if err != nil {
		return encode.Header{}, err
	}
	first := fmt.Sprintf("grsplat render, version %s, commit %s", c.Version, c.Commit)
	h := encode.Header{Creator: "grsplat " + c.Version, Date: date, History: append([]string{first}, history(c.Parameters)...)}
	if c.Spacetime.Flat() && c.Camera.Velocity == [3]float64{} {
		h.WCS, err = wcs(c.Camera.WithDefaults())
	}
	return h, err
}

// history is one line for each parameter, in order of the names.
func history(parameters map[string]string) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		lines = append(lines, name+" = "+parameters[name])
	}
	return lines
}

func wcs(cam lens.Camera) (*encode.WCS, error) {
	optics, err := cam.Optics()
	if err != nil {
		return nil, err
	}
	dec := cam.Dec
	if cam.Projection == lens.Car {
		dec = 0
	}
	scale := optics.PixelAngle() * 180 / math.Pi
	return encode.NewWCS(string(cam.Projection), cam.W, cam.H, scale, cam.RA, dec, cam.Roll)
}

// sumsOf returns the exact sums of a canvas that has them.
func sumsOf(s sink.Sink) *hdr.Sums {
	if exact, ok := s.(sink.Exact); ok {
		return exact.Sums()
	}
	return nil
}
