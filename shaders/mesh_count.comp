#version 460
// Counts a batch's events by block and brightness, and sums their brightness by block, in units that keep the batch's sum in 64
// bits.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 256) in;
#include "mesh_common.glsl"
#include "mesh_events.glsl"

layout(std430, set = 0, binding = 1) buffer Counts { uint counts[]; };    // [block][class], then those outside
layout(std430, set = 0, binding = 2) buffer Light { uint64_t light[]; };  // by block, APART, so that blocks do not queue up in one line

const uint APART = 16u;

shared uint least, most;
shared double bright[256];
shared uint classes[CLASSES];

void main() {
  uint i = groupIndex() * 256u + gl_LocalInvocationID.x, k = gl_LocalInvocationID.x;
  if (k == 0u) {
    least = NONE;
    most = 0u;
  }
  if (k < CLASSES) classes[k] = 0u;
  barrier();
  uint outside = pm.blocksX * pm.blocksY, b = outside;
  double units = 0.0lf;
  bool mine = i < pm.events;
  if (mine) {
    ivec2 pixel;
    uint at = place(events[i * 7u], events[i * 7u + 1u], pixel);
    if (at != NONE) {
      b = at;
      units = brightness(i * 7u);
    }
    atomicMin(least, b);
    atomicMax(most, b);
  }
  bright[k] = units;
  barrier();
  if (least != most || least == outside) {
    if (!mine) return;
    atomicAdd(counts[b * CLASSES + (b == outside ? 0u : classOf(units))], 1u);
    if (b != outside) atomicAdd(light[b * APART], uint64_t(units));
    return;
  }
  // the whole work group in one block: an addition for each class, since many to one address queue up
  if (mine) atomicAdd(classes[classOf(units)], 1u);
  for (uint step = 128u; step > 0u; step /= 2u) {
    if (k < step) {
      precise double sum = bright[k] + bright[k + step];
      bright[k] = sum;
    }
    barrier();
  }
  if (k < CLASSES && classes[k] > 0u) atomicAdd(counts[least * CLASSES + k], classes[k]);
  if (k == 0u) atomicAdd(light[least * APART], uint64_t(bright[0]));
}
