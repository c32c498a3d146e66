// Logical device, memory and pipelines.
#include <stdlib.h>
#include <string.h>
#include "internal.h"

// Enables exactly the features asked for, with the extensions that carry them.
static gv_status create(gv_device *d, const uint8_t *enable) {
  gv_instance *in = d->in;
  VkPhysicalDeviceProperties plain;
  in->vkGetPhysicalDeviceProperties(d->physical, &plain);
  uint32_t n;
  VkExtensionProperties *e = gv_device_extensions(in, d->physical, &n);
  const char *want[4];
  uint32_t nwant = 0;
  int af = gv_has(e, n, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME), af2 = gv_has(e, n, VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME);
  d->has_budget = gv_has(e, n, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  if (af) want[nwant++] = VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME;
  if (af2) want[nwant++] = VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME;
  if (d->has_budget) want[nwant++] = VK_EXT_MEMORY_BUDGET_EXTENSION_NAME;
  if (gv_has(e, n, "VK_KHR_portability_subset")) want[nwant++] = "VK_KHR_portability_subset";
  free(e);
  struct features *f = calloc(1, sizeof *f);
  if (!f) return (gv_status){VK_ERROR_OUT_OF_HOST_MEMORY, "calloc"};
  VkPhysicalDeviceFeatures2 f2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  gv_chain(f, plain.apiVersion, af, af2, &f2.pNext);
  for (uint32_t i = 0; i < gv_feature_count(); i++) if (enable[i]) *gv_feature(f, i) = VK_TRUE;
  f2.features = f->core;
  float priority = 1;
  VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueFamilyIndex = d->family,
    .queueCount = 1, .pQueuePriorities = &priority};
  VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &f2, .queueCreateInfoCount = 1,
    .pQueueCreateInfos = &queue, .enabledExtensionCount = nwant, .ppEnabledExtensionNames = want};
  VkResult r = in->vkCreateDevice(d->physical, &info, NULL, &d->handle);
  free(f);
  return (gv_status){r, "vkCreateDevice"};
}

static gv_status start(gv_device *d, const uint8_t *enable, const void *cache, size_t ncache) {
  gv_instance *in = d->in;
  if (!gv_queue_family(in, d->physical, &d->family, &d->timestamp_bits))
    return (gv_status){GV_NO_QUEUE, "vkGetPhysicalDeviceQueueFamilyProperties"};
  gv_status s = create(d, enable);
  if (s.code) return s;
  COUNT(in, K_DEVICE, 1);
#define LOAD(f) if (!(d->f = (PFN_##f)in->vkGetDeviceProcAddr(d->handle, #f))) return (gv_status){GV_NO_SYMBOL, #f};
  DEVICE_CALLS(LOAD)
#undef LOAD
  d->vkGetDeviceQueue(d->handle, d->family, 0, &d->queue);
  VkPipelineCacheCreateInfo pc = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, .initialDataSize = ncache, .pInitialData = cache};
  TRY(d->vkCreatePipelineCache, (d->handle, &pc, NULL, &d->cache));
  COUNT(in, K_CACHE, 1);
  return OK;
}

gv_status gv_device_open(gv_instance *in, uint32_t device, const uint8_t *enable, const void *cache, size_t ncache, gv_device **out) {
  gv_device *d = calloc(1, sizeof *d);
  if (!d) return (gv_status){VK_ERROR_OUT_OF_HOST_MEMORY, "calloc"};
  d->in = in;
  d->physical = in->devices[device];
  gv_status s = start(d, enable, cache, ncache);
  if (s.code) gv_device_close(d);
  else *out = d;
  return s;
}

void gv_device_close(gv_device *d) {
  if (d->cache) {
    d->vkDestroyPipelineCache(d->handle, d->cache, NULL);
    COUNT(d->in, K_CACHE, -1);
  }
  if (d->handle && d->vkDestroyDevice) {
    d->vkDestroyDevice(d->handle, NULL);
    COUNT(d->in, K_DEVICE, -1);
  }
  free(d);
}

gv_status gv_wait_idle(gv_device *d) {
  TRY(d->vkDeviceWaitIdle, (d->handle));
  return OK;
}

gv_status gv_cache(gv_device *d, void *out, size_t *n) {
  TRY(d->vkGetPipelineCacheData, (d->handle, d->cache, n, out));
  return OK;
}

gv_status gv_buffer(gv_device *d, uint64_t size, uint64_t *buffer, uint64_t *need, uint32_t *bits) {
  VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
    .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
             VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT};
  VkBuffer b;
  TRY(d->vkCreateBuffer, (d->handle, &info, NULL, &b));
  COUNT(d->in, K_BUFFER, 1);
  VkMemoryRequirements m;
  d->vkGetBufferMemoryRequirements(d->handle, b, &m);
  *buffer = (uint64_t)b;
  *need = m.size;
  *bits = m.memoryTypeBits;
  return OK;
}

gv_status gv_bind(gv_device *d, uint64_t buffer, uint64_t need, uint32_t type, int map, uint64_t *memory, void **mapped) {
  VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = need, .memoryTypeIndex = type};
  VkDeviceMemory m;
  TRY(d->vkAllocateMemory, (d->handle, &info, NULL, &m));
  COUNT(d->in, K_MEMORY, 1);
  *memory = (uint64_t)m;
  TRY(d->vkBindBufferMemory, (d->handle, (VkBuffer)buffer, m, 0));
  if (map) TRY(d->vkMapMemory, (d->handle, m, 0, VK_WHOLE_SIZE, 0, mapped));
  return OK;
}

void gv_buffer_free(gv_device *d, uint64_t buffer, uint64_t memory) {
  d->vkDestroyBuffer(d->handle, (VkBuffer)buffer, NULL);
  COUNT(d->in, K_BUFFER, -1);
  if (!memory) return;
  d->vkFreeMemory(d->handle, (VkDeviceMemory)memory, NULL);
  COUNT(d->in, K_MEMORY, -1);
}

static gv_status layouts(gv_device *d, uint32_t bindings, uint32_t push, gv_pipeline *p) {
  VkDescriptorSetLayoutBinding *b = calloc(bindings + 1, sizeof *b);
  if (!b) return (gv_status){VK_ERROR_OUT_OF_HOST_MEMORY, "calloc"};
  for (uint32_t i = 0; i < bindings; i++)
    b[i] = (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
  VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = bindings, .pBindings = b};
  VkResult r = d->vkCreateDescriptorSetLayout(d->handle, &set, NULL, &p->set);
  free(b);
  if (r != VK_SUCCESS) return (gv_status){r, "vkCreateDescriptorSetLayout"};
  COUNT(d->in, K_LAYOUT, 1);
  VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, push};
  VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &p->set,
    .pushConstantRangeCount = push ? 1 : 0, .pPushConstantRanges = &range};
  TRY(d->vkCreatePipelineLayout, (d->handle, &layout, NULL, &p->layout));
  COUNT(d->in, K_LAYOUT, 1);
  return OK;
}

static gv_status compile(gv_device *d, const uint32_t *code, size_t bytes, const uint32_t *ids, const uint32_t *values, uint32_t nspec,
                         gv_pipeline *p) {
  VkSpecializationMapEntry *map = calloc(nspec + 1, sizeof *map);
  if (!map) return (gv_status){VK_ERROR_OUT_OF_HOST_MEMORY, "calloc"};
  for (uint32_t i = 0; i < nspec; i++) map[i] = (VkSpecializationMapEntry){ids[i], 4 * i, 4};
  VkSpecializationInfo spec = {nspec, map, 4 * (size_t)nspec, values};
  VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
  VkShaderModule module;
  VkResult r = d->vkCreateShaderModule(d->handle, &info, NULL, &module);
  if (r != VK_SUCCESS) {
    free(map);
    return (gv_status){r, "vkCreateShaderModule"};
  }
  COUNT(d->in, K_MODULE, 1);
  VkComputePipelineCreateInfo create = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = p->layout, .basePipelineIndex = -1,
    .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module,
              .pName = "main", .pSpecializationInfo = nspec ? &spec : NULL}};
  r = d->vkCreateComputePipelines(d->handle, d->cache, 1, &create, NULL, &p->handle);
  d->vkDestroyShaderModule(d->handle, module, NULL);
  COUNT(d->in, K_MODULE, -1);
  free(map);
  if (r == VK_SUCCESS) COUNT(d->in, K_PIPELINE, 1);
  return (gv_status){r, "vkCreateComputePipelines"};
}

gv_status gv_pipeline_new(gv_device *d, const uint32_t *code, size_t bytes, uint32_t bindings, uint32_t push, const uint32_t *ids,
                          const uint32_t *values, uint32_t nspec, gv_pipeline **out) {
  gv_pipeline *p = calloc(1, sizeof *p);
  if (!p) return (gv_status){VK_ERROR_OUT_OF_HOST_MEMORY, "calloc"};
  p->push = push;
  gv_status s = layouts(d, bindings, push, p);
  if (!s.code) s = compile(d, code, bytes, ids, values, nspec, p);
  if (s.code) gv_pipeline_free(d, p);
  else *out = p;
  return s;
}

void gv_pipeline_free(gv_device *d, gv_pipeline *p) {
  if (p->handle) { d->vkDestroyPipeline(d->handle, p->handle, NULL); COUNT(d->in, K_PIPELINE, -1); }
  if (p->layout) { d->vkDestroyPipelineLayout(d->handle, p->layout, NULL); COUNT(d->in, K_LAYOUT, -1); }
  if (p->set) { d->vkDestroyDescriptorSetLayout(d->handle, p->set, NULL); COUNT(d->in, K_LAYOUT, -1); }
  free(p);
}
