#version 460
// Gathers the events that the mesh has not taken, for another path.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 256) in;
#include "mesh_common.glsl"
#include "mesh_events.glsl"

layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };   // by block of the grid: NONE for one that was not taken
layout(std430, set = 0, binding = 2) writeonly buffer Rest { double rest[]; };
layout(std430, set = 0, binding = 3) buffer Done { uint done[]; };

shared uint here, first;

void main() {
  uint i = groupIndex() * 256u + gl_LocalInvocationID.x, o = i * 7u, at = 0u;
  if (gl_LocalInvocationID.x == 0u) here = 0u;
  barrier();
  bool left = false;
  if (i < pm.events) {
    ivec2 pixel;
    uint b = place(events[o], events[o + 1u], pixel);
    left = b == NONE || words[b] == NONE || tooBright(words[b], o);
    if (left) at = atomicAdd(here, 1u);
  }
  barrier();
  if (gl_LocalInvocationID.x == 0u) first = here > 0u ? atomicAdd(done[0], here) : 0u;
  barrier();
  if (!left) return;
  for (uint k = 0u; k < 7u; k++) rest[(first + at) * 7u + k] = events[o + k];
}
