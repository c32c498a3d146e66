// The one footprint and the one order of a contribution (spec sections 6 and 7), used by every variant; render/psf and
// render/sink/cpu say the same in Go.
//
// Float64: pixel (i,j) is lit when (i-x)^2 + (j-y)^2 <= s^2; w = ((b00*k00 + b10*k10) + b01*k01) + b11*k11; c = w*(flux*colour).
// Every operation is rounded: `precise` forbids fusing. Float32 sums the same in float32, with the lit test in 64-bit fixed
// point of exact products, so that no device's float32 decides which pixels a star lights.

#ifdef F32
#define REAL float
#define REAL3 vec3
#define RECORD 4u   // uvec4 words of a prepared event
#else
#define REAL double
#define REAL3 dvec3
#define RECORD 6u
#endif

struct Star {
  int ix, iy;              // pixel that holds the star
  int at;                  // index of its weight at pixel (0,0), were it in the grid of its first phase
#ifdef F32
  uint fx, fy;             // fract of the position, in units of 2^-fixedBits()
  uvec2 s2;                // support^2, low word first, in units of 2^(-2 fixedBits())
#else
  double x, y, s2;
#endif
  REAL b00, b10, b01, b11; // bilinear weights of the four nearest phases, first digit x
  REAL3 f;                 // flux*colour
};

#ifdef F32
// fixedBits leaves room for (R+2)^2 in 62 bits.
uint fixedBits() { return 30u - uint(findMSB(pc.radius + 1u)); }

Star unpack(uvec4 a, uvec4 b, uvec4 c, uvec4 d) {
  Star s;
  s.ix = int(a.x); s.iy = int(a.y); s.fx = a.z; s.fy = a.w;
  s.s2 = b.xy; s.at = int(b.z);
  s.b00 = uintBitsToFloat(c.x); s.b10 = uintBitsToFloat(c.y); s.b01 = uintBitsToFloat(c.z); s.b11 = uintBitsToFloat(c.w);
  s.f = uintBitsToFloat(d.xyz);
  return s;
}

// away returns |i - x| in fixed point, or more than any support when i is far.
uint away(int i, int whole, uint fraction) {
  int d = i - whole;
  if (abs(d) > int(pc.radius) + 1) return 0xffffffffu;
  return uint(abs((d << fixedBits()) - int(fraction)));
}

bool lit(Star s, int i, int j) {
  uint dx = away(i, s.ix, s.fx), dy = away(j, s.iy, s.fy);
  if (dx == 0xffffffffu || dy == 0xffffffffu) return false;
  uint xh, xl, yh, yl, carry;
  umulExtended(dx, dx, xh, xl);
  umulExtended(dy, dy, yh, yl);
  uint lo = uaddCarry(xl, yl, carry), hi = xh + yh + carry;
  return hi < s.s2.y || (hi == s.s2.y && lo <= s.s2.x);
}

// reach returns a run of pixels that holds the lit ones of row j.
ivec2 reach(Star s, int j) {
  float unit = 1.0 / float(1u << fixedBits());
  float dx = float(s.fx) * unit, dy = float(j - s.iy) - float(s.fy) * unit;
  float s2 = float(s.s2.y) * (4294967296.0 * unit * unit);
  float h = s2 * (1.0 + 5e-7) + 0.01 - dy * dy; // six roundings of s2 at most
  if (!(h >= 0.0)) return ivec2(0, -1);
  h = sqrt(h) + 0.01;
  return s.ix + ivec2(int(floor(dx - h)), int(ceil(dx + h)));
}
#else
Star unpack(uvec4 a, uvec4 b, uvec4 c, uvec4 d, uvec4 e, uvec4 f) {
  Star s;
  s.x = packDouble2x32(a.xy); s.y = packDouble2x32(a.zw);
  s.s2 = packDouble2x32(b.xy); s.at = int(b.z);
  s.b00 = packDouble2x32(c.xy); s.b10 = packDouble2x32(c.zw);
  s.b01 = packDouble2x32(d.xy); s.b11 = packDouble2x32(d.zw);
  s.f = dvec3(packDouble2x32(e.xy), packDouble2x32(e.zw), packDouble2x32(f.xy));
  s.ix = int(f.z); s.iy = int(f.w);
  return s;
}

bool lit(Star s, int i, int j) {
  precise double dx = double(i) - s.x;
  precise double dy = double(j) - s.y;
  precise double dx2 = dx * dx;
  precise double dy2 = dy * dy;
  precise double d2 = dx2 + dy2;
  return d2 <= s.s2;
}

// reach returns a run of pixels that holds the lit ones of row j.
ivec2 reach(Star s, int j) {
  precise double across = s.x - double(s.ix);
  precise double down = double(j) - s.y;
  float dx = float(across);
  precise double down2 = down * down;
  precise double across2 = s.s2 - down2;
  float h = float(across2) + 0.01;
  if (!(h >= 0.0)) return ivec2(0, -1);
  h = sqrt(h) + 0.01;
  return s.ix + ivec2(int(floor(dx - h)), int(ceil(dx + h)));
}
#endif

// contribution returns what star s adds to the pixel whose weights lie at index q of the first phase's grid.
REAL3 contribution(Star s, int q) {
  int below = q + int((pc.phases + 1u) * pc.grid);
  precise REAL w0 = s.b00 * kernel[q];
  precise REAL w1 = s.b10 * kernel[q + int(pc.grid)];
  precise REAL w2 = s.b01 * kernel[below];
  precise REAL w3 = s.b11 * kernel[below + int(pc.grid)];
  precise REAL w = w0 + w1;
  w = w + w2;
  w = w + w3;
  precise REAL r = w * s.f.x;
  precise REAL g = w * s.f.y;
  precise REAL b = w * s.f.z;
  return REAL3(r, g, b);
}
