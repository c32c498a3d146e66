// Replays a trace (trace.h) through the runtime that it is linked with and compares what it copies to the host with what the
// traced program got, bit for bit.
//
// usage: replay TRACE OBJECT
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "api.h"
#include "trace.h"

extern "C" {
#define X(result, name, arguments) result name arguments;
GRHIP_CALLS(X)
#undef X
}

namespace {

[[noreturn]] void die(const std::string &reason) {
  fprintf(stderr, "replay: %s\n", reason.c_str());
  exit(1);
}

void check(int status, const char *call) {
  if (status) die(std::string(call) + ": " + hipGetErrorName(status));
}
#define CHECK(call) check(call, #call)

std::vector<char> readFile(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) die(std::string("cannot open ") + path);
  std::vector<char> data;
  char block[65536];
  for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;) data.insert(data.end(), block, block + n);
  fclose(f);
  return data;
}

// replayer holds the traced program's memory by the addresses that it had.
class replayer {
public:
  explicit replayer(const char *objectFile) : object(readFile(objectFile)) {
    CHECK(hipSetDevice(0));
    CHECK(hipModuleLoadData(&module, object.data()));
    CHECK(hipStreamCreateWithFlags(&stream, GRHIP_NON_BLOCKING));
  }
  ~replayer() {
    for (auto &a : areas) CHECK(hipFree(a.second.now));
    CHECK(hipStreamDestroy(stream));
    CHECK(hipModuleUnload(module));
  }

  void play(const hipcpu::entry &e, std::vector<char> &data) {
    switch (e.what) {
    case 'M': {
      area a{nullptr, e.b};
      CHECK(hipMalloc(&a.now, e.b));
      areas[e.a] = a;
      return;
    }
    case 'F':
      CHECK(hipFree(need(e.a)));
      areas.erase(e.a);
      return;
    case 'S': CHECK(hipMemsetAsync(need(e.a), (int)e.size, e.b, stream)); return;
    case 'H': copy(need(e.a), data, GRHIP_TO_DEVICE); return;
    case 'D': {
      std::vector<char> got(data.size());
      copy(need(e.a), got, GRHIP_TO_HOST);
      copies++;
      different += got != data;
      return;
    }
    case 'L': launch(e, data); return;
    }
    die("not a trace");
  }

  int launches = 0, copies = 0, different = 0;

private:
  struct area {
    void *now;
    size_t size;
  };

  // moved returns where an address of the trace lies now, or null if in no area.
  void *moved(uint64_t address) {
    auto it = areas.upper_bound(address);
    if (it == areas.begin()) return nullptr;
    --it;
    uint64_t offset = address - it->first;
    return offset < it->second.size ? (char *)it->second.now + offset : nullptr;
  }

  void *need(uint64_t address) {
    void *p = moved(address);
    if (!p) die("an address that nobody allocated");
    return p;
  }

  void copy(void *device, std::vector<char> &data, int kind) {
    void *pinned;
    CHECK(hipHostMalloc(&pinned, data.size(), 0));
    if (kind == GRHIP_TO_DEVICE) {
      memcpy(pinned, data.data(), data.size());
      CHECK(hipMemcpyAsync(device, pinned, data.size(), kind, stream));
    } else {
      CHECK(hipMemcpyAsync(pinned, device, data.size(), kind, stream));
    }
    CHECK(hipStreamSynchronize(stream));
    memcpy(data.data(), pinned, data.size());
    CHECK(hipHostFree(pinned));
  }

  // launch starts a kernel with the addresses among its arguments moved.
  void launch(const hipcpu::entry &e, std::vector<char> &data) {
    std::string name = data.data();
    std::vector<char> args(data.begin() + (long)name.size() + 1, data.end());
    for (size_t i = 0; i + 8 <= args.size(); i += 8) {
      uint64_t word;
      memcpy(&word, &args[i], 8);
      if (void *p = moved(word)) memcpy(&args[i], &p, 8);
    }
    void *kernel, *params[] = {args.data()};
    CHECK(hipModuleGetFunction(&kernel, module, name.c_str()));
    CHECK(hipModuleLaunchKernel(kernel, (unsigned)e.a, 1, 1, (unsigned)e.b, 1, 1, 0, stream, params, nullptr));
    CHECK(hipStreamSynchronize(stream));
    launches++;
  }

  std::vector<char> object;
  void *module = nullptr, *stream = nullptr;
  std::map<uint64_t, area> areas;
};

bool next(FILE *f, hipcpu::entry &e, std::vector<char> &data) {
  if (fread(&e.what, 1, 1, f) != 1) return false;
  if (fread(&e.a, 8, 3, f) != 3) die("a trace cut short");
  data.resize(strchr("HDL", e.what) ? e.size : 0);
  if (fread(data.data(), 1, data.size(), f) != data.size()) die("a trace cut short");
  return true;
}

} // namespace

int main(int argc, char **argv) {
  FILE *f = argc == 3 ? fopen(argv[1], "rb") : nullptr;
  if (!f) die("usage: replay TRACE OBJECT");
  replayer r(argv[2]);
  hipcpu::entry e;
  std::vector<char> data;
  while (next(f, e, data)) r.play(e, data);
  fclose(f);
  printf("replay: %d launches, %d copies compared, %d different\n", r.launches, r.copies, r.different);
  return r.different != 0;
}
