#include "object.h"

#include <elf.h>

#include <cstring>

namespace hipcpu {

// EF_AMDGPU_MACH values of the targets that the project builds for (LLVM, "User Guide for AMDGPU Backend").
static const struct {
  unsigned mach;
  const char *name;
} machs[] = {{0x2a, "gfx803"}, {0x2c, "gfx900"}, {0x36, "gfx1030"}, {0x41, "gfx1100"}, {0x4e, "gfx1201"}};

std::string target(const void *image) {
  auto h = (const Elf64_Ehdr *)image;
  const unsigned amdgpu = 224, hsa = 64;
  if (memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_machine != amdgpu || h->e_ident[EI_OSABI] != hsa)
    return "";
  for (auto &m : machs)
    if (m.mach == (h->e_flags & 0xff)) return m.name;
  return "unknown";
}

int64_t argumentBytes(const void *image, const std::string &kernel) {
  auto base = (const char *)image;
  auto h = (const Elf64_Ehdr *)image;
  auto sections = (const Elf64_Shdr *)(base + h->e_shoff);
  for (unsigned i = 0; i < h->e_shnum; i++) {
    if (sections[i].sh_type != SHT_DYNSYM) continue;
    auto symbols = (const Elf64_Sym *)(base + sections[i].sh_offset);
    auto names = base + sections[sections[i].sh_link].sh_offset;
    for (size_t k = 0; k < sections[i].sh_size / sizeof *symbols; k++) {
      if (kernel + ".kd" != names + symbols[k].st_name) continue;
      // The kernel descriptor lies in a section of its own; the size of the arguments is its third word.
      auto &s = sections[symbols[k].st_shndx];
      uint32_t bytes;
      memcpy(&bytes, base + s.sh_offset + (symbols[k].st_value - s.sh_addr) + 8, sizeof bytes);
      return bytes;
    }
  }
  return -1;
}

} // namespace hipcpu
