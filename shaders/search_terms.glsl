// The constants of a task, the arc test and the interval step; 32-bit arithmetic throughout.

layout(constant_id = 2) const uint LOCAL = 64u;
layout(local_size_x_id = 2) in;
layout(push_constant) uniform Push { uint first, count, capacity; } pc;
layout(set = 0, binding = 1, std430) readonly buffer Positions { ivec2 positions[]; };
layout(set = 0, binding = 2, std430) readonly buffer Tasks { uvec2 tasks[]; };         // position, root
layout(set = 0, binding = 3, std430) writeonly buffer Clusters { uvec4 clusters[]; };  // position, root, m, first w | count << 16

const uint MULTIPLIER = 0xDEECE66Du;      // low word; the high word is 5
const uint SCRAMBLE_LOW = 0x0E432u;       // C mod 2^18
const uint SCRAMBLE = 0x1790Du;           // C' = C >> 18
const uint FOUR_FIFTH = 0x33333334u;      // 4/5 mod 2^32
const uint CIRCLE = 0x18BD8524u;          // M'' = 4/5 M mod 2^32
const uint ARC = 0x3333332Cu;             // largest 4/5 h of a draw that is not redrawn
const uint PAIR_ARC = 0x33333330u;
const uint MIDDLE_BITS = 17u;
const uint N = K * L;

shared uint termW[64], termD[64];
shared uvec2 axis[16];   // X_a at 0..7, Z_b at 8..15: low and high words

uvec2 add64(uvec2 a, uvec2 b) {
  uint low = a.x + b.x;
  return uvec2(low, a.y + b.y + (low < a.x ? 1u : 0u));
}
uvec2 sub64(uvec2 a, uvec2 b) { return uvec2(a.x - b.x, a.y - b.y - (a.x < b.x ? 1u : 0u)); }
uvec2 extend(int v) { return uvec2(uint(v), uint(v >> 31)); }

uvec2 offsetX(int x) { return add64(extend(x * x * 4987142), extend(x * 5947611)); }
uvec2 offsetZ(int z) {
  int high, low;
  imulExtended(z * z, 4392871, high, low);
  return add64(uvec2(uint(low), uint(high)), extend(z * 389711));
}

// setTerms fills termW and termD; all invocations of the work group call it.
void setTerms(uvec2 task) {
  ivec2 p = positions[task.x];
  for (uint i = gl_LocalInvocationIndex; i < 16u; i += LOCAL) {
    int step = int(i & 7u);
    axis[i] = i < 8u ? sub64(offsetX(p.x + step), offsetX(p.x)) : sub64(offsetZ(p.y + step), offsetZ(p.y));
  }
  barrier();
  for (uint k = gl_LocalInvocationIndex; k < N; k += LOCAL) {
    uvec2 sum = add64(add64(axis[k / L], axis[8u + k % L]), uvec2(task.y, 0u));
    uint low = (sum.x & LOW_MASK) ^ SCRAMBLE_LOW;
    uint high, product;
    umulExtended(low, MULTIPLIER, high, product);
    uvec2 after = add64(uvec2(product, high + 5u * low), uvec2(11u, 0u));
    termW[k] = (after.x >> LOW_BITS | after.y << (32u - LOW_BITS)) * FOUR_FIFTH;
    termD[k] = sum.x >> LOW_BITS | sum.y << (32u - LOW_BITS);
  }
  barrier();
}

uint value(uint k, uint m) { return termW[k] + ((m + termD[k]) ^ SCRAMBLE) * CIRCLE; }

// solve runs the interval step for m, from chunk 0 on, and stores a cluster if it has one.
void solve(uvec2 task, uint m) {
  uint base = value(0u, m);
  int low = 0, high = 0;
  for (uint k = 1u; k < N; k++) {
    int d = int(value(k, m) - base);
    low = min(low, d);
    high = max(high, d);
    if (uint(high) - uint(low) > ARC) return;
  }
  uint span = uint(high) - uint(low);
  uint need = -(base + uint(low));              // rotation that takes the arc's start to 0
  uint w = (need >> 19) + ((need & 0x7FFFFu) != 0u ? 1u : 0u);
  uint rest = (w << 19) - need;
  if (rest > ARC - span) return;
  uint n = ((ARC - span - rest) >> 19) + 1u;
  uint slot = atomicAdd(state[CLUSTERS], 1u);
  if (slot < pc.capacity) clusters[slot] = uvec4(task, m, (w & 0x1FFFu) | n << 16);
}
