// Recording, submission and waiting. A submission owns one slot; its fence signals when the slot may be used again.
#include <stdlib.h>
#include <string.h>
#include "internal.h"

gv_status gv_slot_new(gv_device *d, gv_slot **out) {
  gv_slot *s = calloc(1, sizeof *s);
  if (!s) return (gv_status){VK_ERROR_OUT_OF_HOST_MEMORY, "calloc"};
  *out = s;
  VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = d->family};
  TRY(d->vkCreateCommandPool, (d->handle, &pool, NULL, &s->commands));
  COUNT(d->in, K_POOL, 1);
  VkCommandBufferAllocateInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = s->commands,
    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
  TRY(d->vkAllocateCommandBuffers, (d->handle, &buffer, &s->buffer));
  VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  TRY(d->vkCreateFence, (d->handle, &fence, NULL, &s->fence));
  COUNT(d->in, K_FENCE, 1);
  return OK;
}

static void drop_queries(gv_device *d, gv_slot *s) {
  if (!s->queries) return;
  d->vkDestroyQueryPool(d->handle, s->queries, NULL);
  COUNT(d->in, K_POOL, -1);
  s->queries = VK_NULL_HANDLE;
}

static void drop_descriptors(gv_device *d, gv_slot *s) {
  if (!s->descriptors) return;
  d->vkDestroyDescriptorPool(d->handle, s->descriptors, NULL);
  COUNT(d->in, K_POOL, -1);
  s->descriptors = VK_NULL_HANDLE;
}

void gv_slot_free(gv_device *d, gv_slot *s) {
  drop_queries(d, s);
  drop_descriptors(d, s);
  if (s->fence) { d->vkDestroyFence(d->handle, s->fence, NULL); COUNT(d->in, K_FENCE, -1); }
  if (s->commands) { d->vkDestroyCommandPool(d->handle, s->commands, NULL); COUNT(d->in, K_POOL, -1); }
  free(s);
}

// Pools grow to the largest submission seen and are otherwise reset.
static gv_status prepare(gv_device *d, gv_slot *s, uint32_t stamps, uint32_t sets, uint32_t bindings) {
  if (stamps > s->nqueries) {
    drop_queries(d, s);
    s->nqueries = stamps + 16;
    VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = VK_QUERY_TYPE_TIMESTAMP, .queryCount = s->nqueries};
    TRY(d->vkCreateQueryPool, (d->handle, &info, NULL, &s->queries));
    COUNT(d->in, K_POOL, 1);
  }
  if (sets > s->nsets || bindings > s->nbindings) {
    drop_descriptors(d, s);
    s->nsets = sets > s->nsets ? sets + 16 : s->nsets;
    s->nbindings = bindings > s->nbindings ? bindings + 64 : s->nbindings;
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, s->nbindings};
    VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = s->nsets, .poolSizeCount = 1, .pPoolSizes = &size};
    TRY(d->vkCreateDescriptorPool, (d->handle, &info, NULL, &s->descriptors));
    COUNT(d->in, K_POOL, 1);
  } else if (s->descriptors) {
    TRY(d->vkResetDescriptorPool, (d->handle, s->descriptors, 0));
  }
  TRY(d->vkResetCommandPool, (d->handle, s->commands, 0));
  return OK;
}

static void barrier(gv_device *d, VkCommandBuffer c, VkPipelineStageFlags to, VkAccessFlags access) {
  VkMemoryBarrier m = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
    .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, .dstAccessMask = access};
  VkPipelineStageFlags from = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT;
  d->vkCmdPipelineBarrier(c, from, to, 0, 1, &m, 0, NULL, 0, NULL);
}

static void device_barrier(gv_device *d, VkCommandBuffer c) {
  barrier(d, c, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
          VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
          VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
}

// Binds what one dispatch needs. A dispatch with the pipeline and buffers of the one before it keeps their set.
struct bound { VkPipeline pipeline; const uint64_t *buffers; uint64_t n; };
enum { BINDINGS = 32 };

static gv_status bind(gv_device *d, gv_slot *s, const uint64_t *op, struct bound *last) {
  gv_pipeline *p = (gv_pipeline *)(uintptr_t)op[1];
  uint64_t npush = op[5], n = op[6];
  const uint64_t *push = op + 7, *b = push + npush;
  if (p->handle != last->pipeline) d->vkCmdBindPipeline(s->buffer, VK_PIPELINE_BIND_POINT_COMPUTE, p->handle);
  if (p->push) d->vkCmdPushConstants(s->buffer, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, p->push, push);
  if (p->handle == last->pipeline && n == last->n && !memcmp(b, last->buffers, 24 * n)) return OK;
  *last = (struct bound){p->handle, b, n};
  VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, .descriptorPool = s->descriptors,
    .descriptorSetCount = 1, .pSetLayouts = &p->set};
  VkDescriptorSet set;
  TRY(d->vkAllocateDescriptorSets, (d->handle, &info, &set));
  VkDescriptorBufferInfo range[BINDINGS];
  VkWriteDescriptorSet write[BINDINGS];
  for (uint32_t i = 0; i < n; i++) {
    range[i] = (VkDescriptorBufferInfo){(VkBuffer)b[3 * i], b[3 * i + 1], b[3 * i + 2]};
    write[i] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, .dstSet = set, .dstBinding = i,
      .descriptorCount = 1, .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &range[i]};
  }
  d->vkUpdateDescriptorSets(d->handle, (uint32_t)n, write, 0, NULL);
  d->vkCmdBindDescriptorSets(s->buffer, VK_PIPELINE_BIND_POINT_COMPUTE, p->layout, 0, 1, &set, 0, NULL);
  return OK;
}

static gv_status record(gv_device *d, gv_slot *s, const uint64_t *op, const uint64_t *end) {
  struct bound last = {0};
  while (op < end) {
    switch (op[0]) {
    case GV_DISPATCH:
    case GV_INDIRECT: {
      gv_status r = bind(d, s, op, &last);
      if (r.code) return r;
      if (op[0] == GV_DISPATCH) d->vkCmdDispatch(s->buffer, (uint32_t)op[2], (uint32_t)op[3], (uint32_t)op[4]);
      else d->vkCmdDispatchIndirect(s->buffer, (VkBuffer)op[2], op[3]);
      op += 7 + op[5] + 3 * op[6];
      break;
    }
    case GV_FILL:
      d->vkCmdFillBuffer(s->buffer, (VkBuffer)op[1], op[2], op[3], (uint32_t)op[4]);
      op += 5;
      break;
    case GV_COPY: {
      VkBufferCopy region = {op[2], op[4], op[5]};
      d->vkCmdCopyBuffer(s->buffer, (VkBuffer)op[1], (VkBuffer)op[3], 1, &region);
      op += 6;
      break;
    }
    case GV_BARRIER:
      device_barrier(d, s->buffer);
      op += 1;
      break;
    case GV_STAMP:
      d->vkCmdWriteTimestamp(s->buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, s->queries, (uint32_t)op[1]);
      op += 2;
      break;
    default:
      return (gv_status){VK_ERROR_UNKNOWN, "record"};
    }
  }
  return OK;
}

// The barriers at both ends order a submission after every earlier one of the queue and before the host's reads.
gv_status gv_submit(gv_device *d, gv_slot *s, const uint64_t *ops, size_t n, uint32_t stamps, uint32_t sets, uint32_t bindings) {
  gv_status r = prepare(d, s, stamps, sets, bindings);
  if (r.code) return r;
  VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
  TRY(d->vkBeginCommandBuffer, (s->buffer, &begin));
  if (stamps) d->vkCmdResetQueryPool(s->buffer, s->queries, 0, stamps);
  device_barrier(d, s->buffer);
  r = record(d, s, ops, ops + n);
  if (r.code) return r;
  barrier(d, s->buffer, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
  TRY(d->vkEndCommandBuffer, (s->buffer));
  VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &s->buffer};
  TRY(d->vkResetFences, (d->handle, 1, &s->fence));
  TRY(d->vkQueueSubmit, (d->queue, 1, &submit, s->fence));
  return OK;
}

gv_status gv_wait(gv_device *d, gv_slot *s, uint64_t ns, uint64_t *stamps, uint32_t nstamps) {
  TRY(d->vkWaitForFences, (d->handle, 1, &s->fence, VK_TRUE, ns));
  if (nstamps)
    TRY(d->vkGetQueryPoolResults, (d->handle, s->queries, 0, nstamps, 8 * (size_t)nstamps, stamps, 8,
                                   VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
  return OK;
}
