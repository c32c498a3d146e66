#version 460
// Deposits the events of this group's blocks on their phase lattices, as integers of the block's own unit, so that no float64
// atomics are needed. The four points' weights are those of psf.Kernel.Mix.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 256) in;
#include "mesh_common.glsl"

layout(std430, set = 0, binding = 0) readonly buffer Events { double events[]; };
layout(std430, set = 0, binding = 1) readonly buffer Slots { uint slots[]; };   // of the group, by block of the grid; or NONE
layout(std430, set = 0, binding = 2) readonly buffer Scale { double scale[]; }; // by block of the group: units in 1
layout(std430, set = 0, binding = 3) buffer Lattice { int64_t lattice[]; };     // [block][colour][edge][edge]
layout(std430, set = 0, binding = 4) buffer Done { uint done[]; };
layout(std430, set = 0, binding = 5) buffer Nodes { int64_t nodes[]; };         // [block][nodes of a pixel][rows][cols]: |flux*colour|

uint phase(double x, int pixel, uint within, out double t) {
  precise double f = floor(x);
  precise double inside = x - f;
  precise double scaled = double(pm.p) * inside;
  precise double whole = min(floor(scaled), double(pm.p - 1u));
  precise double rest = scaled - whole;
  t = rest;
  return within * pm.p + uint(whole);
}

void add(uint at, double v) {
  precise double rounded = roundEven(v);
  atomicAdd(lattice[at], int64_t(rounded));
}

shared uint mine;

// deposit adds event i, if it lies in a block of the group.
void deposit(uint i) {
  uint o = i * 7u;
  ivec2 pixel;
  double x = events[o], y = events[o + 1u];
  uint b = place(x, y, pixel);
  if (b == NONE) return;
  uint slot = slots[b];
  if (slot == NONE) return;
  double tx, ty;
  uint u = phase(x, pixel.x, uint(pixel.x), tx), v = phase(y, pixel.y, uint(pixel.y), ty);
  precise double ux = 1.0lf - tx;
  precise double uy = 1.0lf - ty;
  precise double flux = events[o + 5u] * scale[slot];
  uint size = pm.edge * pm.edge;
  uint at = slot * 3u * size + v * pm.edge + u;
  for (uint c = 0u; c < 3u; c++, at += size) {
    precise double f = flux * events[o + 2u + c];
    precise double left = f * ux;
    precise double right = f * tx;
    precise double a00 = left * uy, a10 = right * uy, a01 = left * ty, a11 = right * ty;
    add(at, a00);
    add(at + 1u, a10);
    add(at + pm.edge, a01);
    add(at + pm.edge + 1u, a11);
  }
  // the nodes around it, for the bound at the rims
  precise double most = max(max(abs(events[o + 2u]), abs(events[o + 3u])), abs(events[o + 4u])) * abs(flux);
  uint per = pm.p / pm.nodes;
  precise double nx = (double(u % per) + tx) / double(per), ny = (double(v % per) + ty) / double(per);
  for (uint k = 0u; k < 4u; k++) {
    uvec2 node = uvec2(u, v) / per + uvec2(k & 1u, k >> 1u), kind = node % pm.nodes, at = node / pm.nodes + pm.margin;
    precise double part = most * ((k & 1u) == 0u ? 1.0lf - nx : nx) * ((k >> 1u) == 0u ? 1.0lf - ny : ny);
    precise double up = ceil(part);
    if (up > 0.0lf) atomicAdd(nodes[((slot * pm.nodes + kind.y) * pm.nodes + kind.x) * planeSize() + at.y * pm.cols + at.x], int64_t(up));
  }
  atomicAdd(mine, 1u);
}

void main() {
  uint i = groupIndex() * 256u + gl_LocalInvocationID.x;
  if (gl_LocalInvocationID.x == 0u) mine = 0u;
  barrier();
  if (i < pm.events) deposit(i);
  barrier();
  if (gl_LocalInvocationID.x == 0u && mine > 0u) atomicAdd(done[0], mine);
}
