#version 450
// Modes 1 and up. One work group sieves the groups m = g + 2^START n of one task by its pairs (package search, sieve.go):
// the three pairs with the smallest deltas for every g, without a branch; the other pairs of the level for what is left;
// then, if START is below 13, the halves of the survivors by the pairs of level 13; last every m of a living group of 16.
#extension GL_GOOGLE_include_directive : require
#include "search_common.glsl"
#include "search_terms.glsl"

layout(constant_id = 3) const uint START = 12u;   // 12 or 13

const uint FINEST = 13u;
const uint TRIES = 8u;                 // g per invocation between two barriers
const uint CHUNK = LOCAL * TRIES;
const uint PAIRS = 128u;               // pairs that are kept; more would only be tests forgone
const uint MIDDLE_MASK = (1u << MIDDLE_BITS) - 1u;

shared uint pairLow[PAIRS], pairDelta[PAIRS], pairC[PAIRS];
shared uint levelEnd[16];              // pairs with delta below 2^level, for each level
shared uint left[CHUNK];               // what the fixed pairs left; in split, living groups of 16
shared uint alive[2u * CHUNK];         // groups of level START that passed all its pairs
shared uint leftCount, aliveCount;

// delta and order of the pair number i of all N(N-1)/2: high is the chunk that delta leads to.
void pairOf(uint i, out uint high, out uint low, out uint delta) {
  high = uint(0.51 + 0.5 * sqrt(1.0 + 8.0 * float(i)));   // rounded up if anything, put right below
  if (high * (high - 1u) / 2u > i) high--;
  low = i - high * (high - 1u) / 2u;
  delta = (termD[high] - termD[low]) & MIDDLE_MASK;
  if (delta > MIDDLE_MASK / 2u) {
    uint t = high;
    high = low;
    low = t;
    delta = (termD[high] - termD[low]) & MIDDLE_MASK;
  }
}

// buildPairs sorts the pairs with delta below 2^13 by the length of delta in bits, by counting. Pairs beyond PAIRS are dropped.
void buildPairs() {
  const uint all = N * (N - 1u) / 2u;
  for (uint i = gl_LocalInvocationIndex; i < 16u; i += LOCAL) levelEnd[i] = 0u;
  for (uint i = gl_LocalInvocationIndex; i < PAIRS; i += LOCAL) pairDelta[i] = MIDDLE_MASK;   // carries at every g
  barrier();
  uint high, low, delta;
  for (uint i = gl_LocalInvocationIndex; i < all; i += LOCAL) {
    pairOf(i, high, low, delta);
    if (delta < 1u << FINEST) atomicAdd(levelEnd[findMSB(delta) + 1], 1u);
  }
  barrier();
  if (gl_LocalInvocationIndex == 0u) {
    uint sum = 0u;
    for (uint i = 0u; i <= FINEST; i++) {
      uint n = levelEnd[i];
      levelEnd[i] = sum;
      sum += n;
    }
  }
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < all; i += LOCAL) {
    pairOf(i, high, low, delta);
    if (delta < 1u << FINEST) {
      uint slot = atomicAdd(levelEnd[findMSB(delta) + 1], 1u);
      if (slot < PAIRS) {
        pairLow[slot] = termD[low];
        pairDelta[slot] = delta;
        pairC[slot] = termW[high] - termW[low] + (termD[high] - termD[low] - delta) * CIRCLE + PAIR_ARC;
      }
    }
  }
  barrier();
}

uvec3 pairAt(uint i) { return uvec3(pairLow[i], pairDelta[i], pairC[i]); }

// rejects tells, as 0 or 1, whether a pair kills the group at g of a level with that mask.
uint rejects(uvec3 pair, uint g, uint mask) {
  uint y = (g + pair.x) & mask;
  uint z = y + pair.y;
  uint v = pair.z + ((z ^ SCRAMBLE) - (y ^ SCRAMBLE)) * CIRCLE;
  return uint(v > 2u * PAIR_ARC) & uint(z <= mask);
}

bool lives(uint g, uint from, uint level) {
  uint end = min(levelEnd[level], PAIRS);
  uint mask = (1u << level) - 1u;
  for (uint i = from; i < end; i++) {
    if (rejects(pairAt(i), g, mask) != 0u) return false;
  }
  return true;
}

// split takes the living groups of level START down to groups of 16, and tries each m of those that live.
void split(uvec2 task) {
  uint items = aliveCount << (FINEST - START);
  for (uint start = 0u; start < items; start += CHUNK) {
    if (gl_LocalInvocationIndex == 0u) leftCount = 0u;
    barrier();
    for (uint i = start + gl_LocalInvocationIndex; i < min(items, start + CHUNK); i += LOCAL) {
      uint g = alive[i >> (FINEST - START)] | (i & ((1u << (FINEST - START)) - 1u)) << START;
      if (START == FINEST || lives(g, 0u, FINEST)) left[atomicAdd(leftCount, 1u)] = g;
    }
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < leftCount << (MIDDLE_BITS - FINEST); i += LOCAL) {
      solve(task, left[i >> (MIDDLE_BITS - FINEST)] | (i & 15u) << FINEST);
    }
    barrier();
  }
}

void main() {
  uint index = groupIndex();
  if (index >= pc.count) return;
  uvec2 task = tasks[pc.first + index];
  setTerms(task);
  buildPairs();
  const uint mask = (1u << START) - 1u;
  uvec3 first = pairAt(0u), second = pairAt(1u), third = pairAt(2u);   // in registers
  if (gl_LocalInvocationIndex == 0u) aliveCount = 0u;
  for (uint start = 0u; start < 1u << START; start += CHUNK) {
    if (gl_LocalInvocationIndex == 0u) leftCount = 0u;
    barrier();
    uint passed = 0u;
    for (uint i = 0u; i < TRIES; i++) {
      uint g = start + i * LOCAL + gl_LocalInvocationIndex;
      uint dead = rejects(first, g, mask) | rejects(second, g, mask) | rejects(third, g, mask);
      passed |= (dead ^ 1u) << i;
    }
    uint slot = atomicAdd(leftCount, uint(bitCount(passed)));
    for (; passed != 0u; passed &= passed - 1u) {
      left[slot++] = start + uint(findLSB(passed)) * LOCAL + gl_LocalInvocationIndex;
    }
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < leftCount; i += LOCAL) {
      if (lives(left[i], 3u, START)) alive[atomicAdd(aliveCount, 1u)] = left[i];
    }
    barrier();
    if (aliveCount > CHUNK || start + CHUNK == 1u << START) {   // the same for all: the next chunk may add CHUNK more
      split(task);
      barrier();
      if (gl_LocalInvocationIndex == 0u) aliveCount = 0u;
    }
  }
  if (gl_LocalInvocationIndex == 0u) atomicAdd(state[SEARCHED], 1u);
}
