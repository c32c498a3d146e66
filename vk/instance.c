// Loader, instance, messages and physical devices.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "internal.h"

enum { LOG_LIMIT = 1 << 20 };

static void lock(struct log *l) { while (atomic_flag_test_and_set_explicit(&l->busy, memory_order_acquire)) {} }
static void unlock(struct log *l) { atomic_flag_clear_explicit(&l->busy, memory_order_release); }

// One message becomes "severity \t types \t id \t text \n", with line ends inside the text made spaces.
static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
    const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
  struct log *l = &((gv_instance *)user)->log;
  const char *id = data->pMessageIdName ? data->pMessageIdName : "", *text = data->pMessage ? data->pMessage : "";
  size_t need = strlen(id) + strlen(text) + 64;
  lock(l);
  if (l->len + need > l->cap && l->cap < LOG_LIMIT) {
    size_t cap = 2 * l->cap + need;
    char *grown = realloc(l->text, cap);
    if (grown) { l->text = grown; l->cap = cap; }
  }
  if (l->len + need <= l->cap) {
    char *at = l->text + l->len;
    int n = snprintf(at, need, "%u\t%u\t%s\t%s", (unsigned)severity, (unsigned)types, id, text);
    for (int i = 0; i < n; i++) if (at[i] == '\n' || at[i] == '\r') at[i] = ' ';
    at[n] = '\n';
    l->len += (size_t)n + 1;
  }
  unlock(l);
  return VK_FALSE;
}

char *gv_messages(gv_instance *in) {
  struct log *l = &in->log;
  lock(l);
  char *text = malloc(l->len + 1);
  if (text) {
    if (l->len) memcpy(text, l->text, l->len);
    text[l->len] = 0;
    l->len = 0;
  }
  unlock(l);
  return text;
}

static VkLayerProperties *layers_of(gv_instance *in, uint32_t *n) {
  *n = 0;
  in->vkEnumerateInstanceLayerProperties(n, NULL);
  VkLayerProperties *l = calloc(*n + 1, sizeof *l);
  if (!l || in->vkEnumerateInstanceLayerProperties(n, l) != VK_SUCCESS) *n = 0;
  return l;
}

char *gv_layers(gv_instance *in) {
  uint32_t n;
  VkLayerProperties *l = layers_of(in, &n);
  char *text = calloc(n + 1, VK_MAX_EXTENSION_NAME_SIZE + 1);
  for (uint32_t i = 0; text && i < n; i++) { strcat(text, l[i].layerName); strcat(text, "\n"); }
  free(l);
  return text;
}

int gv_has(const VkExtensionProperties *e, uint32_t n, const char *name) {
  for (uint32_t i = 0; i < n; i++) if (!strcmp(e[i].extensionName, name)) return 1;
  return 0;
}

static gv_status create(gv_instance *in, int validation) {
  static const char *layer = "VK_LAYER_KHRONOS_validation";
  static const VkValidationFeatureEnableEXT checks[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  uint32_t nlayers, nhave = 0, nwant = 0;
  VkLayerProperties *layers = layers_of(in, &nlayers);
  int found = 0;
  for (uint32_t i = 0; i < nlayers; i++) found |= !strcmp(layers[i].layerName, layer);
  free(layers);
  if (validation && !found) return (gv_status){GV_NO_LAYER, layer};
  in->vkEnumerateInstanceExtensionProperties(NULL, &nhave, NULL);
  VkExtensionProperties *have = calloc(nhave + 1, sizeof *have);
  if (!have || in->vkEnumerateInstanceExtensionProperties(NULL, &nhave, have) != VK_SUCCESS) nhave = 0;
  const char *want[2];
  int debug = gv_has(have, nhave, VK_EXT_DEBUG_UTILS_EXTENSION_NAME), portable = gv_has(have, nhave, "VK_KHR_portability_enumeration");
  free(have);
  if (debug) want[nwant++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  if (portable) want[nwant++] = "VK_KHR_portability_enumeration";
  VkDebugUtilsMessengerCreateInfoEXT messenger = {
    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                   VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
    .pfnUserCallback = on_message, .pUserData = in};
  VkValidationFeaturesEXT features = {.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, .pNext = debug ? &messenger : NULL,
    .enabledValidationFeatureCount = 1, .pEnabledValidationFeatures = checks};
  VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "grsplat", .apiVersion = VK_API_VERSION_1_3};
  VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .flags = portable ? 1 : 0,
    .pNext = validation ? (void *)&features : debug ? (void *)&messenger : NULL, .pApplicationInfo = &app,
    .enabledLayerCount = validation ? 1 : 0, .ppEnabledLayerNames = &layer, .enabledExtensionCount = nwant, .ppEnabledExtensionNames = want};
  TRY(in->vkCreateInstance, (&info, NULL, &in->handle));
#define LOAD(f) if (!(in->f = (PFN_##f)in->vkGetInstanceProcAddr(in->handle, #f))) return (gv_status){GV_NO_SYMBOL, #f};
  INSTANCE_CALLS(LOAD)
#undef LOAD
  PFN_vkCreateDebugUtilsMessengerEXT make =
    (PFN_vkCreateDebugUtilsMessengerEXT)in->vkGetInstanceProcAddr(in->handle, "vkCreateDebugUtilsMessengerEXT");
  in->destroy_messenger = (PFN_vkDestroyDebugUtilsMessengerEXT)in->vkGetInstanceProcAddr(in->handle, "vkDestroyDebugUtilsMessengerEXT");
  if (debug && make && in->destroy_messenger) TRY(make, (in->handle, &messenger, NULL, &in->messenger));
  return OK;
}

static gv_status open_loader(gv_instance *in, const char *library, int validation, char *text, size_t ntext) {
  in->lib = gv_dl_open(library, text, ntext);
  if (!in->lib) return (gv_status){GV_NO_LOADER, "dlopen"};
  in->vkGetInstanceProcAddr = (PFN_vkGetInstanceProcAddr)gv_dl_symbol(in->lib, "vkGetInstanceProcAddr");
  if (!in->vkGetInstanceProcAddr) return (gv_status){GV_NO_SYMBOL, "vkGetInstanceProcAddr"};
  gv_dl_file(in->lib, (void *)in->vkGetInstanceProcAddr, in->file, sizeof in->file);
#define LOAD(f) if (!(in->f = (PFN_##f)in->vkGetInstanceProcAddr(NULL, #f))) return (gv_status){GV_NO_SYMBOL, #f};
  GLOBAL_CALLS(LOAD)
#undef LOAD
  PFN_vkEnumerateInstanceVersion version = (PFN_vkEnumerateInstanceVersion)in->vkGetInstanceProcAddr(NULL, "vkEnumerateInstanceVersion");
  in->api = VK_API_VERSION_1_0;
  if (version) TRY(version, (&in->api));
  if (in->api < VK_API_VERSION_1_1) return (gv_status){VK_ERROR_INCOMPATIBLE_DRIVER, "vkEnumerateInstanceVersion"};
  return create(in, validation);
}

// A failed open keeps the instance, for its messages; Go closes it.
gv_status gv_open(const char *library, int validation, gv_instance **out, char *text, size_t ntext) {
  gv_instance *in = calloc(1, sizeof *in);
  if (!in) return (gv_status){VK_ERROR_OUT_OF_HOST_MEMORY, "calloc"};
  *out = in;
  return open_loader(in, library, validation, text, ntext);
}

void gv_close(gv_instance *in) {
  if (in->messenger) in->destroy_messenger(in->handle, in->messenger, NULL);
  if (in->handle && in->vkDestroyInstance) in->vkDestroyInstance(in->handle, NULL);
  if (in->lib) gv_dl_close(in->lib);
  free(in->devices);
  free(in->log.text);
  free(in);
}

uint32_t gv_api(gv_instance *in) { return in->api; }
const char *gv_file(gv_instance *in) { return in->file; }

gv_status gv_devices(gv_instance *in, uint32_t *count) {
  uint32_t n = 0;
  TRY(in->vkEnumeratePhysicalDevices, (in->handle, &n, NULL));
  free(in->devices);
  in->devices = calloc(n + 1, sizeof *in->devices);
  if (!in->devices) return (gv_status){VK_ERROR_OUT_OF_HOST_MEMORY, "calloc"};
  TRY(in->vkEnumeratePhysicalDevices, (in->handle, &n, in->devices));
  *count = in->ndevices = n;
  return OK;
}

void gv_live(gv_instance *in, int64_t live[GV_KINDS]) {
  for (int i = 0; i < GV_KINDS; i++) live[i] = atomic_load(&in->live[i]);
}

const char *gv_kind(int kind) {
  static const char *names[GV_KINDS] = {"device", "buffer", "memory", "pipeline", "layout", "pipeline cache", "pool", "fence", "shader module"};
  return names[kind];
}
