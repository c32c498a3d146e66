// Shared by the C files of package vk; Go includes native.h alone.
#ifndef VK_INTERNAL_H
#define VK_INTERNAL_H
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>
#include <stdatomic.h>
#include "native.h"

// dl_unix.c, dl_windows.c
void *gv_dl_open(const char *library, char *text, size_t ntext);
void *gv_dl_symbol(void *lib, const char *name);
void gv_dl_file(void *lib, void *symbol, char *text, size_t ntext);
void gv_dl_close(void *lib);

#define GLOBAL_CALLS(X) \
  X(vkCreateInstance) X(vkEnumerateInstanceExtensionProperties) X(vkEnumerateInstanceLayerProperties)
#define INSTANCE_CALLS(X) \
  X(vkDestroyInstance) X(vkEnumeratePhysicalDevices) X(vkGetPhysicalDeviceFeatures2) X(vkGetPhysicalDeviceProperties) \
  X(vkGetPhysicalDeviceProperties2) X(vkGetPhysicalDeviceMemoryProperties2) X(vkGetPhysicalDeviceQueueFamilyProperties) \
  X(vkEnumerateDeviceExtensionProperties) X(vkCreateDevice) X(vkGetDeviceProcAddr)
#define DEVICE_CALLS(X) \
  X(vkDestroyDevice) X(vkGetDeviceQueue) X(vkDeviceWaitIdle) X(vkCreateBuffer) X(vkDestroyBuffer) X(vkGetBufferMemoryRequirements) \
  X(vkAllocateMemory) X(vkFreeMemory) X(vkBindBufferMemory) X(vkMapMemory) X(vkCreateShaderModule) X(vkDestroyShaderModule) \
  X(vkCreateDescriptorSetLayout) X(vkDestroyDescriptorSetLayout) X(vkCreatePipelineLayout) X(vkDestroyPipelineLayout) \
  X(vkCreateComputePipelines) X(vkDestroyPipeline) X(vkCreatePipelineCache) X(vkDestroyPipelineCache) X(vkGetPipelineCacheData) \
  X(vkCreateDescriptorPool) X(vkDestroyDescriptorPool) X(vkResetDescriptorPool) X(vkAllocateDescriptorSets) \
  X(vkUpdateDescriptorSets) X(vkCreateCommandPool) X(vkDestroyCommandPool) X(vkResetCommandPool) X(vkAllocateCommandBuffers) \
  X(vkBeginCommandBuffer) X(vkEndCommandBuffer) X(vkCmdBindPipeline) X(vkCmdBindDescriptorSets) X(vkCmdPushConstants) \
  X(vkCmdDispatch) X(vkCmdDispatchIndirect) X(vkCmdPipelineBarrier) X(vkCmdFillBuffer) X(vkCmdCopyBuffer) \
  X(vkCmdWriteTimestamp) X(vkCmdResetQueryPool) X(vkCreateQueryPool) X(vkDestroyQueryPool) X(vkGetQueryPoolResults) \
  X(vkCreateFence) X(vkDestroyFence) X(vkWaitForFences) X(vkResetFences) X(vkQueueSubmit)
#define FIELD(f) PFN_##f f;

enum kind { K_DEVICE, K_BUFFER, K_MEMORY, K_PIPELINE, K_LAYOUT, K_CACHE, K_POOL, K_FENCE, K_MODULE };

// Messages of the loader, the layers and the drivers, one a line. A driver may call from any thread, so the text is
// kept here under a spin lock and fetched; Go is never entered from a callback.
struct log { atomic_flag busy; char *text; size_t len, cap; };

// Live objects are counted here, so that a test sees a leak or a double free.
struct gv_instance {
  void *lib;
  VkInstance handle;
  VkDebugUtilsMessengerEXT messenger;
  PFN_vkDestroyDebugUtilsMessengerEXT destroy_messenger;
  VkPhysicalDevice *devices;
  uint32_t ndevices, api;
  char file[1024]; // of the loader
  struct log log;
  atomic_llong live[GV_KINDS];
  PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;
  GLOBAL_CALLS(FIELD)
  INSTANCE_CALLS(FIELD)
};

struct gv_device {
  gv_instance *in;
  VkPhysicalDevice physical;
  VkDevice handle;
  VkQueue queue;
  VkPipelineCache cache;
  uint32_t family, timestamp_bits;
  int has_budget;
  DEVICE_CALLS(FIELD)
};

struct gv_pipeline { VkDescriptorSetLayout set; VkPipelineLayout layout; VkPipeline handle; uint32_t push; };

// What one submission owns until its fence has signalled.
struct gv_slot {
  VkCommandPool commands;
  VkCommandBuffer buffer;
  VkFence fence;
  VkQueryPool queries;
  VkDescriptorPool descriptors;
  uint32_t nqueries, nsets, nbindings;
};

// Every feature structure that this package knows, side by side, so that a feature is an offset.
struct features {
  VkPhysicalDeviceFeatures core;
  VkPhysicalDeviceVulkan11Features v11;
  VkPhysicalDeviceVulkan12Features v12;
  VkPhysicalDeviceVulkan13Features v13;
  VkPhysicalDeviceShaderAtomicFloatFeaturesEXT af;
  VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT af2;
  VkPhysicalDeviceVulkan12Properties p12;
};
// Links into *next the structures that a device of this version and these extensions knows; returns the end of the chain.
void **gv_chain(struct features *f, uint32_t api, int af, int af2, void **next);
VkBool32 *gv_feature(struct features *f, uint32_t i);

VkExtensionProperties *gv_device_extensions(gv_instance *in, VkPhysicalDevice p, uint32_t *n);
int gv_has(const VkExtensionProperties *e, uint32_t n, const char *name);
int gv_queue_family(gv_instance *in, VkPhysicalDevice p, uint32_t *family, uint32_t *bits);

#define OK ((gv_status){0, NULL})
#define TRY(call, args) \
  do { VkResult r_ = (call) args; if (r_ != VK_SUCCESS) return (gv_status){r_, #call}; } while (0)
#define COUNT(in, kind, by) atomic_fetch_add(&(in)->live[kind], by)
#endif
