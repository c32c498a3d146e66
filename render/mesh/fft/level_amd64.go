package fft

// For returns the kernels of a level, which the processor must run.
func For(l Level) Kernels {
	switch l {
	case AVX512:
		return Kernels{forward512, inverse512, multiplyAdd512, combine512, combineAdd512, copyRows512, transpose256, deposit256}
	case AVX2:
		return Kernels{forward256, inverse256, multiplyAdd256, combine256, combineAdd256, copyRows256, transpose256, deposit256}
	}
	return generic
}
