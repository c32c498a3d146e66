package catalog

import "math"

// A histogram's bins are 0.01 mag wide from MinMagnitude on; magnitudes beyond |m| = 40 are sentinels, and turning one into
// V moves it by less than 20.
const (
	binsPerMagnitude = 100
	minMagnitude     = -60
	histogramBins    = 120 * binsPerMagnitude
)

// Histogram counts V magnitudes, for an exposure chosen without reading the stars twice. The zero value is empty.
type Histogram struct {
	Count [histogramBins]int64
	Total int64
}

// Add counts one star. It must not be NaN.
func (h *Histogram) Add(v float64) {
	h.Count[min(max(int((v-minMagnitude)*binsPerMagnitude), 0), histogramBins-1)]++
	h.Total++
}

// Reset empties h.
func (h *Histogram) Reset() { *h = Histogram{} }

// Merge adds another histogram.
func (h *Histogram) Merge(o *Histogram) {
	if o == nil {
		return
	}
	for i, n := range o.Count {
		h.Count[i] += n
	}
	h.Total += o.Total
}

// Quantile returns the magnitude that the fraction q of the stars are brighter than: q = 0.001 is the 99.9th percentile of
// brightness. It is the bright edge of the bin, within 0.01 mag of the exact quantile. An empty histogram gives NaN.
func (h *Histogram) Quantile(q float64) float64 {
	if h.Total == 0 {
		return math.NaN()
	}
	rank := int64(q * float64(h.Total))
	for i, n := range h.Count {
		if rank < n {
			return float64(minMagnitude*binsPerMagnitude+i) / binsPerMagnitude
		}
		rank -= n
	}
	return minMagnitude + histogramBins/binsPerMagnitude
}
