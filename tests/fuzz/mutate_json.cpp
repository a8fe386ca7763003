#include "tests/fuzz/mutate_json.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace gpumem::fuzz {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t deepest = 12;

class Mutator {
 public:
  Mutator(Json& root, unsigned seed) : random_(seed) { collect(root, 0); }

  void mutate() {
    Json& value = *pick(all_);
    switch (below(6)) {
      case 0:
        value = hostile();
        break;
      case 1:
        value = Json(*pick(all_));
        break;
      case 2:
        nudge(value);
        break;
      case 3:
        remove_part(value);
        break;
      case 4:
        repeat_part(value);
        break;
      default:
        rename_member(value);
        break;
    }
  }

 private:
  std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }

  template <class T>
  T& pick(std::vector<T>& from) {
    return from[below(from.size())];
  }

  void collect(Json& value, std::size_t depth) {
    all_.push_back(&value);
    if (depth == deepest) return;
    for (Json& part : value) {
      if (value.is_structured()) collect(part, depth + 1);
    }
  }

  Json hostile() {
    static std::vector<Json> values = {nullptr,
                                       true,
                                       false,
                                       0,
                                       1,
                                       -1,
                                       2,
                                       32,
                                       0.5,
                                       1e-9,
                                       1e9,
                                       1e18,
                                       -0.0,
                                       5e-324,
                                       2.3e-308,
                                       1e-60,
                                       1e60,
                                       1e307,
                                       -1e307,
                                       std::numeric_limits<double>::max(),
                                       std::numeric_limits<std::uint64_t>::max(),
                                       std::numeric_limits<std::int64_t>::min(),
                                       4294967295U,
                                       4294967296U,
                                       "",
                                       "auto",
                                       "-",
                                       "a\nb\x1b[31m\x7f",
                                       "\u009b31m\u202e\u2028",
                                       std::string("a\0b", 3),
                                       "\x1e\x1f\x1d",
                                       std::string(200, 'x'),
                                       Json::array(),
                                       Json::object(),
                                       Json::array({Json::array()})};
    return pick(values);
  }

  void nudge(Json& value) {
    static std::vector<double> factors = {0, -1, 0.5, 2, 1 + 1e-9, 10, 1e3, 1e-3, 1e12, 1e-12, 1e100, 1e-100};
    if (value.is_number_float()) {
      value = value.get<double>() * pick(factors);
    } else if (value.is_number_unsigned()) {
      value = below(2) == 0 ? value.get<std::uint64_t>() + below(3) - 1 : value.get<std::uint64_t>() << below(64);
    } else if (value.is_string() && !value.get_ref<std::string&>().empty()) {
      std::string& text = value.get_ref<std::string&>();
      text[below(text.size())] = static_cast<char>(below(128));
    } else {
      value = hostile();
    }
  }

  void remove_part(Json& value) {
    if (value.is_structured() && !value.empty()) value.erase(std::next(value.begin(), position(value)));
  }

  void repeat_part(Json& value) {
    if (!value.is_array() || value.empty()) return;
    const Json part = value[below(value.size())];
    for (std::size_t count = below(4) + 1; count > 0; --count) value.push_back(part);
  }

  void rename_member(Json& value) {
    if (!value.is_object() || value.empty()) return;
    const auto member = std::next(value.begin(), position(value));
    const Json part = *member;
    const std::string name = below(2) == 0 ? member.key() + "x" : hostile().dump();
    value.erase(member);
    value[name] = part;
  }

  std::ptrdiff_t position(const Json& value) { return static_cast<std::ptrdiff_t>(below(value.size())); }

  std::minstd_rand random_;
  std::vector<Json*> all_;
};

}  // namespace

std::size_t mutate_json(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  constexpr unsigned bytes_every = 8;
  if (seed % bytes_every == 0) return LLVMFuzzerMutate(data, size, most);
  Json json = Json::parse(data, data + size, nullptr, false);
  if (json.is_discarded()) return LLVMFuzzerMutate(data, size, most);
  for (unsigned count = seed / bytes_every % 3 + 1; count > 0; --count) Mutator(json, seed + count).mutate();
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

}  // namespace gpumem::fuzz
