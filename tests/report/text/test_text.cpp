#include "engine/base/words.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "tests/catch.hpp"

namespace gpumem::report::test_text {

using Strings = std::vector<std::string>;

TEST_CASE("Widths count characters, and truncation never cuts one") {
  CHECK(display_width("±█a") == 3);
  CHECK(truncated("abcdef", 6) == "abcdef");
  CHECK(truncated("abcdef", 4) == "abc…");
  CHECK(truncated("±±±±", 3) == "±±…");
  CHECK(truncated("ab cd", 4) == "ab…");
  CHECK(truncated("abc", 1) == "…");
  CHECK(truncated("abc", 0).empty());
  CHECK(truncated("offset 0, 1.03 x", 13) == "offset 0,…");  // and not 1.0
  CHECK(truncated("is 50.2 and", 8) == "is 50.2…");
  CHECK(truncated("33445", 3) == "…");
}

TEST_CASE("Text wraps at spaces") {
  CHECK(wrapped("one two three", 7) == Strings{"one two", "three"});
  CHECK(wrapped("unbreakable a", 4) == Strings{"unbreakable", "a"});
  CHECK(wrapped("", 4).empty());
  CHECK(one_line("a\nb\tc\x1b[0m") == "a b c [0m");
}

TEST_CASE("Counts in words") {
  CHECK(counted(1, "case") == "1 case");
  CHECK(counted(0, "case") == "0 cases");
}

TEST_CASE("Long lists say how many more there are") {
  CHECK(join_first(Strings{"a", "b"}, 2) == "a, b");
  CHECK(join_first(Strings{"a", "b", "c", "d"}, 2) == "a, b, and 2 more");
  CHECK(join_first(Strings{}, 2).empty());
}

TEST_CASE("Sizes in words are exact") {
  CHECK(size_in_words(0) == "0 bytes");
  CHECK(size_in_words(100) == "100 bytes");
  CHECK(size_in_words(4096) == "4 KiB");
  CHECK(size_in_words(1'000'000'000) == "1 GB");
  CHECK(size_in_words(std::uint64_t{3} << 29U) == "1.5 GiB");
  CHECK(size_in_words(std::uint64_t{60} << 20U) == "60 MiB");
  CHECK(size_in_words((std::uint64_t{1} << 30U) + 4) == "1073741828 bytes");
}

TEST_CASE("Numbers have the digits they deserve") {
  CHECK(trimmed(4, 2) == "4");
  CHECK(trimmed(4.25, 2) == "4.25");
  CHECK(trimmed(4.5, 2) == "4.5");
  CHECK(trimmed(100, 0) == "100");
  const std::vector<double> values = {4224, 91.3, 0};
  CHECK(decimals_for(values, 3, 3) == 1);
  CHECK(decimals_for(values, 3, 0) == 0);
}

TEST_CASE("Parameters in words take their units from their names") {
  const auto phrase = [](const std::string& name, Value value) { return parameter_phrase({name, std::move(value)}); };
  CHECK(phrase("op", "copy") == "copy");
  CHECK(phrase("offset_elements", std::uint64_t{1}) == "offset 1 element");
  CHECK(phrase("stride_words", std::uint64_t{2}) == "stride 2 words");
  CHECK(phrase("word_bytes", std::uint64_t{4}) == "4-byte words");
  CHECK(phrase("elements_per_thread", std::uint64_t{1}) == "1 element per thread");
  CHECK(phrase("block_threads", std::uint64_t{256}) == "256 threads per block");
  CHECK(phrase("buffer_bytes", std::uint64_t{1} << 30U) == "buffer 1 GiB");
  CHECK(phrase("buffer_bytes", "auto") == "buffer auto");
  CHECK(phrase("variant", "padded") == "variant padded");
  CHECK(position_phrase({"offset_elements", std::uint64_t{1}}) == "offset 1");
  CHECK(parameter_heading("elements_per_thread").unit == "/thread");
  CHECK(parameter_heading("block_threads").name == "threads");
  CHECK(parameter_noun("offset_elements") == "offset");
  CHECK(parameter_noun("block_threads") == "number of threads per block");
  CHECK(quantity_words("cycles_per_request") == "cycles per request");
  CHECK(quantity_words("latency_cycles") == "latency in cycles");
  CHECK(quantity_words("occupancy") == "occupancy");
  CHECK(quantity_words("gb_per_s_per_multiprocessor") == "GB/s per multiprocessor");
  CHECK(quantity_heading("link_gb_per_s").unit == "GB/s");
  CHECK(parameter_noun("lanes") == "lanes");
}

TEST_CASE("A 0 that stands for what another parameter says is not said") {
  CHECK_FALSE(is_said("transpose", {"matrix_rows", std::uint64_t{0}}));
  CHECK(is_said("transpose", {"matrix_rows", std::uint64_t{512}}));
  CHECK_FALSE(is_said("matmul", {"product_m", std::uint64_t{0}}));
  CHECK_FALSE(is_said("matmul", {"product_k", std::uint64_t{0}}));
  CHECK(is_said("offset", {"offset_elements", std::uint64_t{0}}));
  CHECK(is_said("no probe", {"matrix_rows", std::uint64_t{0}}));
  CHECK(is_said("transpose", {"no_axis", std::uint64_t{0}}));
}

TEST_CASE("Parameters and metrics of the host link in words") {
  const auto phrase = [](const std::string& name, Value value) { return parameter_phrase({name, std::move(value)}); };
  const auto position = [](const std::string& name, Value value) { return position_phrase({name, std::move(value)}); };
  CHECK(phrase("size_bytes", std::uint64_t{65536}) == "size 64 KiB");
  CHECK(phrase("host_memory", "write-combined") == "write-combined host memory");
  CHECK(position("host_memory", "pinned") == "pinned host memory");
  CHECK(phrase("direction", "to-device") == "direction to-device");
  CHECK(phrase("copies", std::uint64_t{1}) == "1 copy");
  CHECK(position("copies", std::uint64_t{16}) == "16 copies");
  CHECK(phrase("passes", std::uint64_t{1}) == "1 pass");
  CHECK(phrase("streams", std::uint64_t{4}) == "4 streams");
  CHECK(phrase("chunks", std::uint64_t{64}) == "64 chunks");
  CHECK(phrase("kernel_percent", std::uint64_t{125}) == "kernel 125 %");
  CHECK(phrase("batching", "separate") == "batching separate");
  CHECK(parameter_noun("size_bytes") == "size");
  CHECK(parameter_noun("host_memory") == "kind of host memory");
  CHECK(parameter_noun("copies") == "number of copies");
  CHECK(parameter_noun("kernel_percent") == "kernel percentage");
  CHECK(parameter_heading("size_bytes").name == "size");
  CHECK(parameter_heading("host_memory").name == "host memory");
  CHECK(parameter_heading("kernel_percent").unit == "%");
  CHECK(parameter_heading("passes").unit.empty());
  CHECK(quantity_words("fixed_cost_us") == "fixed cost in us");
  CHECK(quantity_words("asymptotic_gb_per_s") == "asymptotic in GB/s");
  CHECK(quantity_words("share_of_bound") == "share of bound");
  CHECK(quantity_words("bound_speedup") == "bound speedup");
  CHECK(quantity_words("packing_pays_from_copies") == "packing pays from so many copies");
  CHECK(quantity_heading("copy_in_ms").unit == "ms");
  CHECK(quantity_heading("busy_percent").unit == "%");
}

TEST_CASE("Stages in words, unknown ones by their name") {
  CHECK(stage_words("dram") == "device memory");
  CHECK(stage_words("l2_lines") == "lines fetched into L2");
  CHECK(stage_words("pcie") == "the host link");
  CHECK(stage_words("copies") == "calls that start copies");
  CHECK(stage_words("host_copy") == "the host's own copying");
  CHECK(stage_words("warp_drive") == "warp_drive");
}

}  // namespace gpumem::report::test_text
