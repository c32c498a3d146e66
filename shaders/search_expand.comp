#version 450
// One invocation lays out one task: it finds its group by bisection, and pairs the group's root with one of its positions.
#extension GL_GOOGLE_include_directive : require
#include "search_common.glsl"

layout(local_size_x = 256) in;
layout(push_constant) uniform Push { uint groupCount, taskCount; } pc;
layout(set = 0, binding = 1, std430) readonly buffer Groups { uvec4 groups[]; };   // root, first position, positions, first task
layout(set = 0, binding = 2, std430) writeonly buffer Tasks { uvec2 tasks[]; };    // position, root

void main() {
  uint first = groupIndex() * gl_WorkGroupSize.x;
  if (first >= pc.taskCount) return;
  uint task = first + gl_LocalInvocationIndex;
  if (task < pc.taskCount) {
    uint low = 0u, high = pc.groupCount;   // groups[low].w <= task < groups[high].w
    while (high - low > 1u) {
      uint middle = (low + high) / 2u;
      if (groups[middle].w <= task) low = middle; else high = middle;
    }
    uvec4 group = groups[low];
    tasks[task] = uvec2(group.y + task - group.w, group.x);
  }
  if (gl_LocalInvocationIndex == 0u) atomicAdd(state[EXPANDED], min(gl_WorkGroupSize.x, pc.taskCount - first));
}
