// What the kernels of slimescan share. Package search, terms.go, derives the circle form: V_k(m) = W_k + ((m + D_k) ^ C') M''.

layout(constant_id = 0) const uint K = 5u;    // chunks of the rectangle along x and z
layout(constant_id = 1) const uint L = 5u;

const uint LOW_BITS = 18u;
const uint LOW_MASK = (1u << LOW_BITS) - 1u;

// State words. The host compares the counters of finished work with what it asked for.
const uint ROOTS = 0u;      // roots listed, also those beyond the buffer
const uint LISTED = 1u;     // generators whose roots are listed
const uint EXPANDED = 2u;   // tasks laid out
const uint SEARCHED = 3u;   // tasks searched
const uint CLUSTERS = 4u;   // clusters found, also those beyond the buffer

layout(set = 0, binding = 0, std430) buffer State { uint state[]; };

uint groupIndex() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }
