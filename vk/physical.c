// What a physical device says of itself.
#include <stdlib.h>
#include <string.h>
#include "feature_list.h"
#include "internal.h"

static const struct { const char *name; size_t offset; int property; } table[] = {
#define FEATURE(s, f) {#f, offsetof(struct features, s.f), 0},
#define PROPERTY(s, f) {#f, offsetof(struct features, s.f), 1},
  FEATURES(FEATURE)
  FEATURES_P12(PROPERTY)
};
enum { NFEATURES = sizeof table / sizeof *table };
_Static_assert((int)NFEATURES <= (int)GV_FEATURES, "features exceed gv_info");

uint32_t gv_feature_count(void) { return NFEATURES; }
const char *gv_feature_name(uint32_t i) { return table[i].name; }
int gv_feature_is_property(uint32_t i) { return table[i].property; }
VkBool32 *gv_feature(struct features *f, uint32_t i) { return (VkBool32 *)((char *)f + table[i].offset); }

#define LINK(s, t) do { (s).sType = (t); (s).pNext = NULL; *next = &(s); next = &(s).pNext; } while (0)

void **gv_chain(struct features *f, uint32_t api, int af, int af2, void **next) {
  if (api >= VK_API_VERSION_1_2) {
    LINK(f->v11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
    LINK(f->v12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  }
  if (api >= VK_API_VERSION_1_3) LINK(f->v13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  if (af) LINK(f->af, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT);
  if (af2) LINK(f->af2, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT);
  return next;
}

VkExtensionProperties *gv_device_extensions(gv_instance *in, VkPhysicalDevice p, uint32_t *n) {
  *n = 0;
  in->vkEnumerateDeviceExtensionProperties(p, NULL, n, NULL);
  VkExtensionProperties *e = calloc(*n + 1, sizeof *e);
  if (!e || in->vkEnumerateDeviceExtensionProperties(p, NULL, n, e) != VK_SUCCESS) *n = 0;
  return e;
}

char *gv_extensions(gv_instance *in, uint32_t device) {
  uint32_t n;
  VkExtensionProperties *e = gv_device_extensions(in, in->devices[device], &n);
  char *text = calloc(n + 1, VK_MAX_EXTENSION_NAME_SIZE + 1), *at = text;
  for (uint32_t i = 0; text && i < n; i++) {
    size_t l = strlen(e[i].extensionName);
    memcpy(at, e[i].extensionName, l);
    at += l;
    *at++ = '\n';
  }
  free(e);
  return text;
}

// The first family with compute; a compute-only family would compete with no display but also lacks timestamps on some
// drivers, and a program that owns one queue gains nothing from it.
int gv_queue_family(gv_instance *in, VkPhysicalDevice p, uint32_t *family, uint32_t *bits) {
  VkQueueFamilyProperties q[32];
  uint32_t n = 32;
  in->vkGetPhysicalDeviceQueueFamilyProperties(p, &n, q);
  for (uint32_t i = 0; i < n; i++) {
    if (!(q[i].queueFlags & VK_QUEUE_COMPUTE_BIT)) continue;
    *family = i;
    *bits = q[i].timestampValidBits;
    return 1;
  }
  return 0;
}

static void heaps(gv_instance *in, VkPhysicalDevice p, int has_budget, VkPhysicalDeviceMemoryProperties2 *m, gv_heap out[GV_HEAPS]) {
  VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
  m->sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2;
  m->pNext = has_budget ? &budget : NULL;
  in->vkGetPhysicalDeviceMemoryProperties2(p, m);
  for (uint32_t i = 0; i < m->memoryProperties.memoryHeapCount; i++) {
    VkMemoryHeap *h = &m->memoryProperties.memoryHeaps[i];
    out[i] = (gv_heap){h->size, budget.heapBudget[i], budget.heapUsage[i], !!(h->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)};
  }
}

void gv_heaps_of(gv_device *d, gv_heap out[GV_HEAPS]) {
  VkPhysicalDeviceMemoryProperties2 m;
  heaps(d->in, d->physical, d->has_budget, &m, out);
}

static void limits(const VkPhysicalDeviceLimits *l, gv_info *o) {
  o->max_storage_range = l->maxStorageBufferRange;
  o->max_push = l->maxPushConstantsSize;
  o->max_bindings = l->maxPerStageDescriptorStorageBuffers;
  o->max_shared = l->maxComputeSharedMemorySize;
  o->max_invocations = l->maxComputeWorkGroupInvocations;
  o->max_allocations = l->maxMemoryAllocationCount;
  o->storage_alignment = l->minStorageBufferOffsetAlignment;
  o->timestamp_period = l->timestampPeriod;
  memcpy(o->max_size, l->maxComputeWorkGroupSize, sizeof o->max_size);
  memcpy(o->max_count, l->maxComputeWorkGroupCount, sizeof o->max_count);
}

void gv_info_of(gv_instance *in, uint32_t device, gv_info *o) {
  VkPhysicalDevice p = in->devices[device];
  struct features *f = calloc(1, sizeof *f);
  memset(o, 0, sizeof *o);
  VkPhysicalDeviceProperties plain;
  in->vkGetPhysicalDeviceProperties(p, &plain);
  uint32_t n;
  VkExtensionProperties *e = gv_device_extensions(in, p, &n);
  int af = gv_has(e, n, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME), af2 = gv_has(e, n, VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME);
  int sizes = plain.apiVersion >= VK_API_VERSION_1_3 || gv_has(e, n, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
  o->has_budget = gv_has(e, n, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  free(e);
  VkPhysicalDeviceFeatures2 f2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  gv_chain(f, plain.apiVersion, af, af2, &f2.pNext);
  in->vkGetPhysicalDeviceFeatures2(p, &f2);
  f->core = f2.features;

  VkPhysicalDeviceVulkan11Properties p11 = {0};
  VkPhysicalDeviceIDProperties id = {0};
  VkPhysicalDeviceSubgroupSizeControlProperties size = {0};
  VkPhysicalDeviceProperties2 p2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  void **next = &p2.pNext;
  if (plain.apiVersion >= VK_API_VERSION_1_2) {
    LINK(p11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES);
    LINK(f->p12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES);
  } else if (plain.apiVersion >= VK_API_VERSION_1_1) {
    LINK(id, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES);
  }
  if (sizes) LINK(size, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
  in->vkGetPhysicalDeviceProperties2(p, &p2);
  for (uint32_t i = 0; i < NFEATURES; i++) o->features[i] = *gv_feature(f, i) != 0;

  o->api = plain.apiVersion; o->driver_version = plain.driverVersion; o->driver_id = f->p12.driverID;
  o->vendor = plain.vendorID; o->device = plain.deviceID; o->type = plain.deviceType;
  memcpy(o->name, plain.deviceName, sizeof plain.deviceName);
  memcpy(o->driver_name, f->p12.driverName, sizeof f->p12.driverName);
  memcpy(o->driver_info, f->p12.driverInfo, sizeof f->p12.driverInfo);
  memcpy(o->uuid, p11.sType ? p11.deviceUUID : id.deviceUUID, 16);
  memcpy(o->driver_uuid, p11.sType ? p11.driverUUID : id.driverUUID, 16);
  memcpy(o->cache_uuid, plain.pipelineCacheUUID, 16);
  limits(&plain.limits, o);
  o->max_allocation = p11.maxMemoryAllocationSize;
  o->subgroup = p11.subgroupSize; o->subgroup_ops = p11.subgroupSupportedOperations;
  o->subgroup_min = sizes ? size.minSubgroupSize : p11.subgroupSize;
  o->subgroup_max = sizes ? size.maxSubgroupSize : p11.subgroupSize;
  free(f);
  if (!gv_queue_family(in, p, &o->queue_family, &o->timestamp_bits)) o->queue_family = UINT32_MAX;
  VkPhysicalDeviceMemoryProperties2 m;
  heaps(in, p, (int)o->has_budget, &m, o->heaps);
  o->nheaps = m.memoryProperties.memoryHeapCount;
  o->ntypes = m.memoryProperties.memoryTypeCount;
  for (uint32_t i = 0; i < o->ntypes; i++)
    o->types[i] = (gv_type){m.memoryProperties.memoryTypes[i].propertyFlags, m.memoryProperties.memoryTypes[i].heapIndex};
}
