#include "report/advise/caller_words.hpp"
#include "report/advise/describe_sites.hpp"
#include "tests/catch.hpp"

namespace gpumem::report::test_caller_words {

namespace {

FrameRecord frame(const std::string& file, std::uint64_t line, const std::string& function, bool library = false) {
  return {.file = file, .line = line, .function = function, .module = {}, .language = "python", .library = library};
}

}  // namespace

TEST_CASE("who asked for a kernel is a phrase, and all of it sentences", "[kernel][explain]") {
  Record record;
  CHECK(caller_words(record).empty());
  CHECK(caller_sentences(record).empty());
  record.operator_name = "aten::mul.Tensor (MulBackward0)";
  CHECK(caller_words(record) == "asked for by aten::mul.Tensor (MulBackward0)");
  CHECK(caller_sentences(record) == "Asked for by aten::mul.Tensor (MulBackward0).");
  record.caller = "model.py:57 in forward";
  record.called_from = {frame("/venv/linear.py", 125, "forward", true), frame("/me/model.py", 57, "forward"),
                        frame("/venv/module.py", 1, "__call__", true), frame("/me/train.py", 12, "step"),
                        frame("/me/train.py", 40, "<module>")};
  CHECK(caller_words(record) == "asked for by model.py:57 in forward");
  CHECK(caller_sentences(record) ==
        "Asked for by model.py:57 in forward for aten::mul.Tensor (MulBackward0), called from train.py:12 in step, "
        "train.py:40.");
  record.called_from = std::vector(6, frame("/me/deep.py", 1, "f"));
  CHECK(caller_sentences(record).ends_with("called from deep.py:1 in f, deep.py:1 in f, deep.py:1 in f."));
}

TEST_CASE("a site says which array it touches", "[kernel][explain]") {
  SiteRecord site{.site = "app.cu:14", .space = "global", .op = "load", .word_bytes = 4, .costs = {}, .pattern = "p"};
  CHECK(site_words(site) == "loads: p (app.cu:14)");
  site.array = ArrayRecord{.bytes = 1 << 26, .made_at = {}};
  CHECK(site_words(site) == "loads: p (app.cu:14)");
  site.array->made_at = "model.py:42 in load";
  CHECK(site_words(site) == "loads of the 64 MiB made at model.py:42: p (app.cu:14)");
}

}  // namespace gpumem::report::test_caller_words
