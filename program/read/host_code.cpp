#include "program/read/host_code.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "program/read/elf_file.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::program {

namespace {

/// More rows than programs have, so that a damaged table ends.
constexpr std::size_t most_host_rows = std::size_t{1} << 24U;

/// Maps a file's bytes as long as the object lives. Empty if the file cannot be read.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return;
    struct stat status {};
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      bytes_ = static_cast<std::size_t>(status.st_size);
      mark_ = inject::mark_of(status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
      memory_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
  }
  ~MappedFile() {
    if (memory_ != MAP_FAILED) munmap(memory_, bytes_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::string_view content() const {
    return memory_ == MAP_FAILED ? std::string_view() : std::string_view(static_cast<const char*>(memory_), bytes_);
  }

  [[nodiscard]] std::uint32_t mark() const { return mark_; }

 private:
  std::uint32_t mark_ = 0;
  void* memory_ = MAP_FAILED;
  std::size_t bytes_ = 0;
};

/// A symbol as the ELF specification lays it out.
struct HostSymbol {
  std::uint32_t name;
  std::uint8_t info, other;
  std::uint16_t section;
  std::uint64_t value, bytes;
};

}  // namespace

class HostCode::AllRows : public LineRows {
 public:
  explicit AllRows(HostCode& code) : code_(code) {}

  std::uint32_t file(SourceLine file) override {
    const auto [known, is_new] =
        numbers_.try_emplace({file.folder, file.file}, static_cast<std::uint32_t>(code_.files_.size()));
    if (is_new) code_.files_.push_back(std::move(file));
    return known->second;
  }
  void begin(std::uint64_t, std::uint64_t address) override { begin_ = address; }
  void row(std::uint64_t offset, std::uint32_t file, std::uint64_t line) override {
    constexpr std::uint64_t first_code = 2;  // what the linker dropped is said to lie at 0 or 1
    if (begin_ < first_code || code_.rows_.size() >= most_host_rows) return;
    code_.rows_.push_back({begin_ + offset, file, line > UINT32_MAX ? 0 : static_cast<std::uint32_t>(line)});
  }
  void end(std::uint64_t offset) override {
    row(offset, 0, 0);
    begin_ = 0;
  }

 private:
  HostCode& code_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> numbers_;
  std::uint64_t begin_ = 0;
};

HostCode::HostCode(std::string_view elf) {
  const ElfFile file(elf);
  add_functions(file.content(".symtab"), file.content(".strtab"));
  if (functions_.empty()) add_functions(file.content(".dynsym"), file.content(".dynstr"));
  std::ranges::sort(functions_, {}, &Function::address);
  AllRows rows(*this);
  read_line_table(file.content(".debug_line"),
                  {.strings = file.content(".debug_str"), .line_strings = file.content(".debug_line_str")}, rows);
  // If a function begins where another one ends, its first row has to stand behind that end.
  std::ranges::stable_sort(rows_, {}, [](const Row& row) { return std::pair(row.address, row.line != 0); });
}

void HostCode::add_functions(std::string_view symbols, std::string_view names) {
  constexpr unsigned function_type = 2;
  ByteReader entries(symbols);
  while (entries.left() >= sizeof(HostSymbol)) {
    const auto symbol = entries.read<HostSymbol>();
    if ((symbol.info & 0xfU) != function_type || symbol.bytes == 0 || symbol.name >= names.size()) continue;
    functions_.push_back(
        {symbol.value, symbol.bytes, std::string(ByteReader(names.substr(symbol.name)).text().substr(0, 4096))});
  }
}

HostPlace HostCode::find(std::uint64_t address) const {
  HostPlace place;
  const auto behind = std::ranges::upper_bound(functions_, address, {}, &Function::address);
  if (behind != functions_.begin() && address - std::prev(behind)->address < std::prev(behind)->bytes) {
    place.function = std::prev(behind)->name;
  }
  const auto after = std::ranges::upper_bound(rows_, address, {}, &Row::address);
  if (after == rows_.begin() || std::prev(after)->line == 0) return place;
  const Row& row = *std::prev(after);
  place.line = files_[row.file];
  place.line->line = row.line;
  return place;
}

HostPlace HostCodes::find(const std::string& file, std::uint32_t mark, std::uint64_t address) {
  const auto [code, is_new] = codes_.try_emplace({file, mark});
  if (is_new) {
    const MappedFile mapped(file);
    if (mapped.mark() == mark) code->second = HostCode(mapped.content());
  }
  return code->second.find(address);
}

}  // namespace gpumem::program
