// What a pixel's sum is, by precision: float64, float32, or an integer of quanta 2^-k.

#if defined(I64)
#define SUM int64_t
// quanta rounds a contribution to the nearest quantum, ties to even; the scaling by a power of two is exact.
int64_t quanta(double c) {
  double scale = packDouble2x32(uvec2(0u, (1023u + pc.quantum) << 20u));
  precise double q = c * scale;
  return int64_t(roundEven(q));
}
#elif defined(F32)
#define SUM float
#define quanta(c) (c)
#else
#define SUM double
#define quanta(c) (c)
#endif
