// A stand-in for libamdhip64: the calls of render/sink/hip/api.h, on the CPU. Streams run in order on threads of their own,
// copies are checked against the bounds of both sides, and the environment says what goes wrong:
//
//	HIPCPU_DEVICES   devices, default 1            HIPCPU_ARCH    code object that they take, default gfx1201
//	HIPCPU_MEMORY    bytes, default 4 GiB          HIPCPU_TRACE   file that gets the trace (trace.h)
//	HIPCPU_FAIL      CALL:N: the N-th call of that name from now on fails; `drop:N` loses the N-th launch without a word
//	HIPCPU_SLOW      milliseconds that everything on a stream waits before it begins
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "block.h"
#include "object.h"
#include "kernels.h"
#include "trace.h"

namespace {

enum status { success = 0, invalidValue = 1, outOfMemory = 2, noDevice = 100, invalidDevice = 101, noBinary = 209, invalidImage = 200,
              notFound = 500, notReady = 600, launchFailure = 719 };

std::mutex mutex; // of everything below
struct area {
  size_t size;
  bool device;
};
std::map<uintptr_t, area> areas;
size_t inUse = 0;
std::string failSpec;
std::map<std::string, int> calls;
FILE *trace = nullptr;
std::string tracePath;

std::string environment(const char *name, const char *otherwise) {
  const char *v = getenv(name);
  return v && *v ? v : otherwise;
}

// due says whether HIPCPU_FAIL names this call, the one that is due.
bool due(const char *call) {
  std::lock_guard<std::mutex> lock(mutex);
  std::string spec = environment("HIPCPU_FAIL", "");
  if (spec != failSpec) {
    failSpec = spec;
    calls.clear();
  }
  auto colon = spec.find(':');
  if (colon == std::string::npos || spec.compare(0, colon, call)) return false;
  return ++calls[call] == atoi(spec.c_str() + colon + 1);
}

void record(hipcpu::entry e, std::initializer_list<std::pair<const void *, size_t>> data) {
  std::lock_guard<std::mutex> lock(mutex);
  std::string path = environment("HIPCPU_TRACE", "");
  if (path != tracePath) {
    if (trace) fclose(trace);
    trace = path.empty() ? nullptr : fopen(path.c_str(), "wb");
    tracePath = path;
  }
  if (!trace) return;
  fwrite(&e.what, 1, 1, trace);
  fwrite(&e.a, 8, 3, trace);
  for (auto &d : data) fwrite(d.first, 1, d.second, trace);
  fflush(trace);
}

// inside says whether the run of n bytes lies in one area of the given side.
bool inside(const void *p, size_t n, bool device) {
  std::lock_guard<std::mutex> lock(mutex);
  auto at = (uintptr_t)p;
  auto it = areas.upper_bound(at);
  if (it == areas.begin()) return false;
  --it;
  return it->second.device == device && n <= it->second.size && at - it->first <= it->second.size - n;
}

// stream runs tasks in order on a thread of its own.
class stream {
public:
  stream() : worker([this] { work(); }) {
    std::lock_guard<std::mutex> lock(listMutex());
    list().push_back(this);
  }
  ~stream() {
    {
      std::lock_guard<std::mutex> lock(listMutex());
      list().remove(this);
    }
    push({});
    worker.join();
  }
  // drainAll waits for every stream, as the runtime does before it frees what one may still use.
  static void drainAll() {
    std::lock_guard<std::mutex> lock(listMutex());
    for (auto s : list()) s->drain();
  }
  void push(std::function<void()> task) {
    std::lock_guard<std::mutex> lock(m);
    tasks.push_back(std::move(task));
    wake.notify_all();
  }
  void drain() {
    std::unique_lock<std::mutex> lock(m);
    wake.wait(lock, [this] { return tasks.empty(); });
  }

private:
  static std::mutex &listMutex() {
    static std::mutex m;
    return m;
  }
  static std::list<stream *> &list() {
    static std::list<stream *> l;
    return l;
  }
  void work() {
    for (;;) {
      std::unique_lock<std::mutex> lock(m);
      wake.wait(lock, [this] { return !tasks.empty(); });
      auto task = tasks.front();
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::milliseconds(atoi(environment("HIPCPU_SLOW", "0").c_str())));
      if (task) task();
      lock.lock();
      tasks.pop_front(); // only now: drain waits for the task itself
      wake.notify_all();
      if (!task) return;
    }
  }
  std::mutex m;
  std::condition_variable wake;
  std::deque<std::function<void()>> tasks;
  std::thread worker;
};

struct event {
  std::mutex m;
  std::condition_variable reached;
  bool recorded = false, pending = false;
  std::chrono::steady_clock::time_point time;
};

struct module {
  const void *image;
};
struct function {
  const hipcpu::kernel *kernel;
};

int allocate(void **p, size_t n, bool device) {
  std::lock_guard<std::mutex> lock(mutex);
  if (device && inUse + n > strtoull(environment("HIPCPU_MEMORY", "4294967296").c_str(), nullptr, 10)) return outOfMemory;
  *p = malloc(n);
  if (!*p) return outOfMemory;
  memset(*p, 0xa5, n); // nobody may count on zeros
  areas[(uintptr_t)*p] = {n, device};
  inUse += device ? n : 0;
  return success;
}

int release(void *p, bool device) {
  stream::drainAll();
  std::lock_guard<std::mutex> lock(mutex);
  auto it = areas.find((uintptr_t)p);
  if (it == areas.end() || it->second.device != device) return invalidValue;
  inUse -= device ? it->second.size : 0;
  areas.erase(it);
  free(p);
  return success;
}

int devices() { return atoi(environment("HIPCPU_DEVICES", "1").c_str()); }

} // namespace

#define ENTER(error) \
  if (due(__func__)) return error

extern "C" {

const char *hipGetErrorName(int e) {
  switch (e) {
  case success: return "hipSuccess";
  case invalidValue: return "hipErrorInvalidValue";
  case outOfMemory: return "hipErrorOutOfMemory";
  case noDevice: return "hipErrorNoDevice";
  case invalidDevice: return "hipErrorInvalidDevice";
  case invalidImage: return "hipErrorInvalidImage";
  case noBinary: return "hipErrorNoBinaryForGpu";
  case notFound: return "hipErrorNotFound";
  case notReady: return "hipErrorNotReady";
  case launchFailure: return "hipErrorLaunchFailure";
  }
  return "hipErrorUnknown";
}

int hipGetDeviceCount(int *n) {
  ENTER(launchFailure);
  *n = devices();
  return *n ? success : noDevice;
}
int hipRuntimeGetVersion(int *v) {
  ENTER(invalidValue);
  *v = 60300042;
  return success;
}
int hipDeviceGetName(char *s, int n, int d) {
  ENTER(invalidDevice);
  if (d < 0 || d >= devices()) return invalidDevice;
  snprintf(s, (size_t)n, "CPU stand-in %d", d);
  return success;
}
int hipSetDevice(int d) {
  ENTER(invalidDevice);
  return d >= 0 && d < devices() ? success : invalidDevice;
}
int hipMemGetInfo(size_t *available, size_t *total) {
  ENTER(invalidValue);
  std::lock_guard<std::mutex> lock(mutex);
  *total = strtoull(environment("HIPCPU_MEMORY", "4294967296").c_str(), nullptr, 10);
  *available = *total > inUse ? *total - inUse : 0;
  return success;
}

int hipMalloc(void **p, size_t n) {
  ENTER(outOfMemory);
  int e = allocate(p, n, true);
  if (!e) record({'M', (uintptr_t)*p, n, 0}, {});
  return e;
}
int hipHostMalloc(void **p, size_t n, unsigned) {
  ENTER(outOfMemory);
  return allocate(p, n, false);
}
int hipFree(void *p) {
  ENTER(invalidValue);
  record({'F', (uintptr_t)p, 0, 0}, {});
  return release(p, true);
}
int hipHostFree(void *p) {
  ENTER(invalidValue);
  return release(p, false);
}

int hipMemcpyAsync(void *to, const void *from, size_t n, int kind, void *s) {
  ENTER(launchFailure);
  const int toDevice = 1, toHost = 2;
  if (!(kind == toDevice || kind == toHost) || !inside(to, n, kind == toDevice) || !inside(from, n, kind == toHost)) return invalidValue;
  ((stream *)s)->push([=] {
    memcpy(to, from, n);
    if (kind == toDevice)
      record({'H', (uintptr_t)to, 0, n}, {{to, n}});
    else
      record({'D', (uintptr_t)from, 0, n}, {{from, n}});
  });
  return success;
}
int hipMemsetAsync(void *p, int value, size_t n, void *s) {
  ENTER(launchFailure);
  if (!inside(p, n, true)) return invalidValue;
  ((stream *)s)->push([=] {
    memset(p, value, n);
    record({'S', (uintptr_t)p, n, (uint64_t)(unsigned char)value}, {});
  });
  return success;
}

int hipStreamCreateWithFlags(void **s, unsigned) {
  ENTER(outOfMemory);
  *s = new stream;
  return success;
}
int hipStreamDestroy(void *s) {
  ENTER(invalidValue);
  delete (stream *)s;
  return success;
}
int hipStreamSynchronize(void *s) {
  ENTER(launchFailure);
  ((stream *)s)->drain();
  return success;
}

int hipEventCreate(void **e) {
  ENTER(outOfMemory);
  *e = new event;
  return success;
}
int hipEventDestroy(void *e) {
  ENTER(invalidValue);
  stream::drainAll();
  delete (event *)e;
  return success;
}
int hipEventRecord(void *p, void *s) {
  ENTER(launchFailure);
  auto e = (event *)p;
  std::lock_guard<std::mutex> lock(e->m);
  e->recorded = e->pending = true;
  ((stream *)s)->push([e] {
    std::lock_guard<std::mutex> lock(e->m);
    e->time = std::chrono::steady_clock::now();
    e->pending = false;
    e->reached.notify_all();
  });
  return success;
}
int hipEventSynchronize(void *p) {
  ENTER(launchFailure);
  auto e = (event *)p;
  std::unique_lock<std::mutex> lock(e->m);
  e->reached.wait(lock, [e] { return !e->pending; });
  return success;
}
int hipEventElapsedTime(float *ms, void *from, void *to) {
  ENTER(invalidValue);
  auto a = (event *)from, b = (event *)to;
  std::scoped_lock lock(a->m, b->m);
  if (!a->recorded || !b->recorded) return invalidValue;
  if (a->pending || b->pending) return notReady;
  *ms = std::chrono::duration<float, std::milli>(b->time - a->time).count();
  return success;
}

int hipModuleLoadData(void **m, const void *image) {
  ENTER(launchFailure);
  std::string target = hipcpu::target(image);
  if (target.empty()) return invalidImage;
  if (target != environment("HIPCPU_ARCH", "gfx1201")) return noBinary;
  *m = new module{image};
  return success;
}
int hipModuleUnload(void *m) {
  ENTER(invalidValue);
  delete (module *)m;
  return success;
}
int hipModuleGetFunction(void **f, void *m, const char *name) {
  ENTER(notFound);
  auto k = hipcpu::find(name);
  if (!k || hipcpu::argumentBytes(((module *)m)->image, name) != (int64_t)k->argsBytes) return notFound;
  // Functions live as long as their module; the few bytes are left to the process.
  static std::map<const hipcpu::kernel *, function> all;
  std::lock_guard<std::mutex> lock(mutex);
  *f = &(all[k] = function{k});
  return success;
}
int hipModuleLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *s,
                          void **params, void **extra) {
  ENTER(launchFailure);
  if (!gx || gy != 1 || gz != 1 || !bx || bx > 1024 || by != 1 || bz != 1 || shared || extra || !params) return invalidValue;
  if (due("drop")) return success;
  auto k = ((function *)f)->kernel;
  std::vector<char> args((char *)params[0], (char *)params[0] + k->argsBytes);
  ((stream *)s)->push([=] {
    record({'L', gx, bx, strlen(k->name) + 1 + args.size()}, {{k->name, strlen(k->name) + 1}, {args.data(), args.size()}});
    hipcpu::run(gx, bx, [&] { k->call(args.data()); });
  });
  return success;
}

} // extern "C"
