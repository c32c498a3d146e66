// Replays a trace (trace.h) on the CPU and compares what it copied to the host, bit for bit.
//
// usage: replay TRACE
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "block.h"
#include "kernels.h"
#include "trace.h"

namespace {

struct area {
  std::vector<char> *bytes; // on the heap, so that a sanitizer guards both ends
};
std::map<uint64_t, area> areas; // by the address that they had

[[noreturn]] void die(const char *reason, const hipcpu::entry &e) {
  fprintf(stderr, "replay: %s (entry %c %#llx %llu %llu)\n", reason, e.what, (unsigned long long)e.a, (unsigned long long)e.b, (unsigned long long)e.size);
  exit(1);
}

// moved returns where an address of the trace lies now, or null if in no area.
char *moved(uint64_t address) {
  auto it = areas.upper_bound(address);
  if (it == areas.begin()) return nullptr;
  --it;
  uint64_t offset = address - it->first;
  return offset < it->second.bytes->size() ? it->second.bytes->data() + offset : nullptr;
}

char *need(const hipcpu::entry &e) {
  char *p = moved(e.a);
  if (!p) die("an address that nobody allocated", e);
  return p;
}

void launch(const hipcpu::entry &e, std::vector<char> &data) {
  auto k = hipcpu::find(data.data());
  size_t name = strlen(data.data()) + 1;
  if (!k || data.size() != name + k->argsBytes) die("an unknown kernel", e);
  std::vector<char> args(data.begin() + (long)name, data.end());
  // Addresses among the arguments move with their areas.
  for (size_t i = 0; i + 8 <= args.size(); i += 8) {
    uint64_t word;
    memcpy(&word, &args[i], 8);
    if (char *p = moved(word)) memcpy(&args[i], &p, 8);
  }
  hipcpu::run((unsigned)e.a, (unsigned)e.b, [&] { k->call(args.data()); });
}

bool next(FILE *f, hipcpu::entry &e, std::vector<char> &data) {
  if (fread(&e.what, 1, 1, f) != 1) return false;
  if (fread(&e.a, 8, 3, f) != 3) die("a trace cut short", e);
  data.resize(strchr("HDL", e.what) ? e.size : 0);
  if (fread(data.data(), 1, data.size(), f) != data.size()) die("a trace cut short", e);
  return true;
}

} // namespace

int main(int argc, char **argv) {
  FILE *f = argc == 2 ? fopen(argv[1], "rb") : nullptr;
  if (!f) {
    fprintf(stderr, "usage: replay TRACE\n");
    return 2;
  }
  hipcpu::entry e;
  std::vector<char> data;
  int launches = 0, copies = 0, different = 0;
  while (next(f, e, data)) {
    switch (e.what) {
    case 'M': areas[e.a] = {new std::vector<char>(e.b, (char)0xa5)}; break;
    case 'F':
      if (!areas.count(e.a)) die("freed twice", e);
      delete areas[e.a].bytes;
      areas.erase(e.a);
      break;
    case 'S': memset(need(e), (int)e.size, e.b); break;
    case 'H': memcpy(need(e), data.data(), data.size()); break;
    case 'D':
      copies++;
      different += memcmp(need(e), data.data(), data.size()) != 0;
      break;
    case 'L':
      launches++;
      launch(e, data);
      break;
    default: die("not a trace", e);
    }
  }
  fclose(f);
  for (auto &a : areas) delete a.second.bytes;
  printf("replay: %d launches, %d copies compared, %d different\n", launches, copies, different);
  return different != 0;
}
