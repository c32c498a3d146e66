// What a pixel's sum is, by precision: float64, float32, or an integer of quanta 2^-k.

#if defined(I64)
#define SUM int64_t
// quanta rounds a contribution to the nearest quantum, ties to even; the scaling by a power of two is exact. Below 2^51 quanta
// the sum with 1.5*2^52, whose unit is 1, is the rounded integer in its lower bits: conversions
// are slow on many devices.
int64_t quanta(double c) {
  double scale = packDouble2x32(uvec2(0u, (1023u + pc.quantum) << 20u));
  const double shift = 6755399441055744.0lf;
  precise double q = c * scale;
  if ((unpackDouble2x32(q).y & 0x7fffffffu) >= (1023u + 51u) << 20u) return int64_t(roundEven(q));
  precise double shifted = q + shift;
  return int64_t(doubleBitsToInt64(shifted)) - 0x4338000000000000l;
}
#elif defined(F32)
#define SUM float
#define quanta(c) (c)
#else
#define SUM double
#define quanta(c) (c)
#endif
