#version 460
// Deposits the events of this group's blocks on their phase lattices, as integers of the block's own unit, so that no float64
// atomics are needed. The four points' weights are those of psf.Kernel.Mix.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
layout(local_size_x = 256) in;
#include "mesh_common.glsl"
#include "mesh_events.glsl"

layout(std430, set = 0, binding = 1) readonly buffer Words { uint words[]; };   // by block of the grid
layout(std430, set = 0, binding = 2) readonly buffer Scale { double scale[]; }; // by block of the group: units in 1
layout(std430, set = 0, binding = 3) buffer Lattice { int64_t lattice[]; };     // [block][colour][edge][edge]
layout(std430, set = 0, binding = 4) buffer Done { uint done[]; };
layout(std430, set = 0, binding = 5) buffer Nodes { int64_t nodes[]; };         // [block][nodes of a pixel][rows][cols]: |flux*colour|

uint phase(double x, int pixel, out double t) {
  precise double f = floor(x);
  precise double inside = x - f;
  precise double scaled = double(pm.p) * inside;
  precise double whole = min(floor(scaled), double(pm.p - 1u));
  precise double rest = scaled - whole;
  t = rest;
  return uint(pixel) * pm.p + uint(whole);
}

void add(uint at, double v) {
  precise double rounded = roundEven(v);
  atomicAdd(lattice[at], int64_t(rounded));
}

// addNodes spreads the event over the nodes around lattice point (u,v), tx and ty beyond it, for the bound at the rims.
void addNodes(uint slot, uint u, uint v, double tx, double ty, double most) {
  uint per = pm.p / pm.nodes;
  precise double fx = (double(u % per) + tx) / double(per), fy = (double(v % per) + ty) / double(per);
  for (uint k = 0u; k < 4u; k++) {
    uvec2 node = uvec2(u, v) / per + uvec2(k & 1u, k >> 1u);
    precise double part = most * ((k & 1u) == 0u ? 1.0lf - fx : fx) * (k < 2u ? 1.0lf - fy : fy);
    precise double up = ceil(part);
    if (up == 0.0lf) continue;
    uvec2 kind = node % pm.nodes, pixel = node / pm.nodes + pm.margin;
    uint plane = (slot * pm.nodes + kind.y) * pm.nodes + kind.x;
    atomicAdd(nodes[plane * planeSize() + pixel.y * pm.cols + pixel.x], int64_t(up));
  }
}

shared uint mine;

// deposit adds event i, if it lies in a block of the group and is not too bright for it.
void deposit(uint i) {
  uint o = i * 7u;
  ivec2 pixel;
  double x = events[o], y = events[o + 1u];
  uint b = place(x, y, pixel);
  if (b == NONE) return;
  uint word = words[b];
  if (word == NONE || tooBright(word, o)) return;
  uint slot = slotOf(word);
  double tx, ty;
  uint u = phase(x, pixel.x, tx), v = phase(y, pixel.y, ty);
  precise double ux = 1.0lf - tx;
  precise double uy = 1.0lf - ty;
  precise double flux = events[o + 5u] * scale[slot];
  uint size = edge() * edge();
  uint at = slot * 3u * size + v * edge() + u;
  for (uint c = 0u; c < 3u; c++, at += size) {
    precise double f = flux * events[o + 2u + c];
    precise double left = f * ux;
    precise double right = f * tx;
    precise double a00 = left * uy, a10 = right * uy, a01 = left * ty, a11 = right * ty;
    add(at, a00);
    add(at + 1u, a10);
    add(at + edge(), a01);
    add(at + edge() + 1u, a11);
  }
  precise double most = largest(o) * scale[slot];
  addNodes(slot, u, v, tx, ty, most);
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
