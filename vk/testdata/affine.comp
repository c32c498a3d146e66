// y = SCALE * x + add, one 32-bit word an invocation, over a grid of any shape.
#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint SCALE = 1;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { uint y[]; };
layout(push_constant) uniform P { uint n, add; };
void main() {
  uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x, i = group * 64 + gl_LocalInvocationID.x;
  if (i < n) y[i] = SCALE * x[i] + add;
}
