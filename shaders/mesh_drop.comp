#version 460
// Moves the events that the mesh has taken where they light nothing, so that a tile path can take the rest of the batch.
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 256) in;
#include "mesh_common.glsl"

layout(std430, set = 0, binding = 0) buffer Events { double events[]; };
layout(std430, set = 0, binding = 1) readonly buffer Slots { uint slots[]; }; // NONE for a block that was taken

void main() {
  uint i = groupIndex() * 256u + gl_LocalInvocationID.x;
  if (i >= pm.events) return;
  ivec2 pixel;
  uint b = place(events[i * 7u], events[i * 7u + 1u], pixel);
  if (b == NONE || slots[b] == NONE) events[i * 7u] = -1.0e8lf;
}
