// The C half of package vk as Go sees it: plain integers and opaque pointers, no Vulkan type. Nothing here keeps a pointer
// that Go passes in; every call copies what it needs before it returns.
#ifndef VK_NATIVE_H
#define VK_NATIVE_H
#include <stddef.h>
#include <stdint.h>

typedef struct gv_instance gv_instance;
typedef struct gv_device gv_device;
typedef struct gv_slot gv_slot;
typedef struct gv_pipeline gv_pipeline;

// A VkResult and the static name of the call that gave it; code 0 is success.
typedef struct { int32_t code; const char *call; } gv_status;

// Codes of our own, outside VkResult's range.
enum { GV_NO_LOADER = -2000000001, GV_NO_SYMBOL = -2000000002, GV_NO_LAYER = -2000000003, GV_NO_QUEUE = -2000000004 };

enum { GV_HEAPS = 16, GV_TYPES = 32, GV_FEATURES = 256, GV_KINDS = 9 };

typedef struct { uint64_t bytes, budget, usage; uint32_t device_local; } gv_heap;
typedef struct { uint32_t flags, heap; } gv_type;

typedef struct {
  char name[256], driver_name[256], driver_info[256];
  uint32_t api, driver_version, driver_id, vendor, device, type;
  uint8_t uuid[16], driver_uuid[16], cache_uuid[16];
  uint32_t max_storage_range, max_push, max_bindings, max_shared, max_invocations, max_size[3], max_count[3], max_allocations;
  uint32_t subgroup, subgroup_min, subgroup_max, subgroup_ops, timestamp_bits, queue_family, has_budget;
  uint64_t max_allocation, storage_alignment;
  double timestamp_period;
  uint32_t nheaps, ntypes;
  gv_heap heaps[GV_HEAPS];
  gv_type types[GV_TYPES];
  uint8_t features[GV_FEATURES];
} gv_info;

// Instance. library may be empty: the platform's loader. text, given to Go, is malloced and freed by Go.
gv_status gv_open(const char *library, int validation, gv_instance **out, char *text, size_t ntext);
void gv_close(gv_instance *in);
uint32_t gv_api(gv_instance *in);
const char *gv_file(gv_instance *in);
gv_status gv_devices(gv_instance *in, uint32_t *count);
void gv_info_of(gv_instance *in, uint32_t device, gv_info *info);
char *gv_extensions(gv_instance *in, uint32_t device);
char *gv_layers(gv_instance *in);
char *gv_messages(gv_instance *in);
void gv_live(gv_instance *in, int64_t live[GV_KINDS]);
const char *gv_kind(int kind);
uint32_t gv_feature_count(void);
const char *gv_feature_name(uint32_t i);
int gv_feature_is_property(uint32_t i);

// Device: one compute queue; enable holds one byte per feature of the list.
gv_status gv_device_open(gv_instance *in, uint32_t device, const uint8_t *enable, const void *cache, size_t ncache, gv_device **out);
void gv_device_close(gv_device *d);
gv_status gv_wait_idle(gv_device *d);
gv_status gv_cache(gv_device *d, void *out, size_t *n);
void gv_heaps_of(gv_device *d, gv_heap heaps[GV_HEAPS]);

// Buffers: created unbound, so that Go chooses the memory type from bits.
gv_status gv_buffer(gv_device *d, uint64_t size, uint64_t *buffer, uint64_t *need, uint32_t *bits);
gv_status gv_bind(gv_device *d, uint64_t buffer, uint64_t need, uint32_t type, int map, uint64_t *memory, void **mapped);
void gv_buffer_free(gv_device *d, uint64_t buffer, uint64_t memory);

gv_status gv_pipeline_new(gv_device *d, const uint32_t *code, size_t bytes, uint32_t bindings, uint32_t push, const uint32_t *ids,
                          const uint32_t *values, uint32_t nspec, gv_pipeline **out);
void gv_pipeline_free(gv_device *d, gv_pipeline *p);

// Commands: a stream of 64-bit words, one operation after another; the first word of each is its code.
enum {
  GV_DISPATCH = 1, // pipeline, x, y, z, npush words, nbind, push words.., (buffer, offset, bytes)..
  GV_INDIRECT = 2, // pipeline, buffer, offset, 0, npush words, nbind, push words.., (buffer, offset, bytes)..
  GV_FILL = 3,     // buffer, offset, bytes, value
  GV_COPY = 4,     // from, from offset, to, to offset, bytes
  GV_BARRIER = 5,  // every earlier write of a shader or a transfer is visible to what follows
  GV_STAMP = 6,    // query
};
gv_status gv_slot_new(gv_device *d, gv_slot **out);
void gv_slot_free(gv_device *d, gv_slot *s);
// stamps is the number of GV_STAMP operations in the stream, sets and bindings what its dispatches need at most.
gv_status gv_submit(gv_device *d, gv_slot *s, const uint64_t *ops, size_t n, uint32_t stamps, uint32_t sets, uint32_t bindings);
// code 2 (VK_TIMEOUT) when the fence has not signalled within ns.
gv_status gv_wait(gv_device *d, gv_slot *s, uint64_t ns, uint64_t *stamps, uint32_t nstamps);
#endif
