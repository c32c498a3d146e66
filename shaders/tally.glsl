// Counting what a work group did: each invocation adds its pairs, one of them adds the sum to the state.
shared uint pairs;

void tallyBegin() {
  if (gl_LocalInvocationIndex == 0u) pairs = 0u;
  barrier();
}

void tallyEnd(uint mine, uint consumed) {
  atomicAdd(pairs, mine);
  barrier();
  if (gl_LocalInvocationIndex != 0u) return;
  uint lo = pairs;
  if (atomicAdd(state[CONTRIB_LO], lo) > 0xffffffffu - lo) atomicAdd(state[CONTRIB_HI], 1u);
  atomicAdd(state[CONSUMED], consumed);
  atomicAdd(state[GROUPS], 1u);
}
