// Ranges marked by a program that has the real NVTX: what of them a launch would be named after.

#include "program/watch/ranges.hpp"

namespace gpumem::inject {

/// In place of the watch, which needs a driver.
Ranges& process_ranges() {
  static Output& output = *new Output;
  static Spans& spans = *new Spans(output);
  static Ranges& ranges = *new Ranges(output, spans);
  return ranges;
}

}  // namespace gpumem::inject

#if __has_include(<nvtx3/nvToolsExt.h>)

#include <nvtx3/nvToolsExt.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/catch.hpp"

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t);  // NOLINT(readability-identifier-naming)

namespace gpumem::test_nvtx {

namespace {

// The function that NVTX calls when it is first used, if it is not to load a library.
const bool is_injected = (InitializeInjectionNvtx2_fnptr = InitializeInjectionNvtx2) != nullptr;

std::string current() {
  const inject::Range* range = inject::current_range();
  return range == nullptr ? "" : range->name;
}

nvtxEventAttributes_t attributes(nvtxMessageType_t type, nvtxMessageValue_t message) {
  nvtxEventAttributes_t all{};
  all.version = NVTX_VERSION;
  all.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  all.messageType = type;
  all.message = message;
  return all;
}
nvtxEventAttributes_t named(const char* name) { return attributes(NVTX_MESSAGE_TYPE_ASCII, {.ascii = name}); }

}  // namespace

TEST_CASE("nvtx: the innermost range of the thread names launches", "[nvtx]") {
  REQUIRE(is_injected);
  CHECK(current().empty());
  CHECK(nvtxRangePushA("step") == NVTX_NO_PUSH_POP_TRACKING);  // what a program gets that nobody watches
  CHECK(current() == "step");
  nvtxRangePushW(L"vorw\u00e4rts \U0001f600");
  CHECK(current() == "vorwärts \xf0\x9f\x98\x80");
  std::thread([] { CHECK(current().empty()); }).join();
  nvtxRangePop();
  CHECK(current() == "step");
  CHECK(nvtxRangePop() == NVTX_NO_PUSH_POP_TRACKING);
  CHECK(current().empty());
  nvtxRangePop();  // one too many
  nvtxRangePushA("again");
  CHECK(current() == "again");
  nvtxRangePop();
  CHECK(nvtxRangeStartA("of the whole process") == 0);
  CHECK(current().empty());
}

TEST_CASE("nvtx: messages of every type", "[nvtx]") {
  const auto range = [](const nvtxEventAttributes_t& all) {
    nvtxRangePushEx(&all);
    const std::string name = current();
    nvtxRangePop();
    return name;
  };
  CHECK(range(named("narrow")) == "narrow");
  CHECK(range(attributes(NVTX_MESSAGE_TYPE_UNICODE, {.unicode = L"wide"})) == "wide");
  const nvtxStringHandle_t known = nvtxDomainRegisterStringA(nullptr, "registered");
  CHECK(known == nvtxDomainRegisterStringW(nullptr, L"registered"));
  CHECK(range(attributes(NVTX_MESSAGE_TYPE_REGISTERED, {.registered = known})) == "registered");

  nvtxRangePushA("around");
  for (const nvtxMessageType_t type :
       {NVTX_MESSAGE_UNKNOWN, NVTX_MESSAGE_TYPE_ASCII, NVTX_MESSAGE_TYPE_UNICODE, NVTX_MESSAGE_TYPE_REGISTERED}) {
    CHECK(range(attributes(type, {.ascii = nullptr})) == "around");
  }
  CHECK(range(named("")) == "around");
  nvtxEventAttributes_t cut = named("of an older version");
  cut.size = 16;
  CHECK(range(cut) == "around");
  nvtxRangePushEx(nullptr);
  nvtxRangePushA(nullptr);
  nvtxRangePushW(nullptr);
  CHECK(current() == "around");
  for (unsigned i = 0; i < 4; ++i) nvtxRangePop();
  CHECK(current().empty());
}

TEST_CASE("nvtx: the program's own ranges come before those of a domain", "[nvtx]") {
  const nvtxDomainHandle_t library = nvtxDomainCreateA("library");
  REQUIRE(library != nullptr);
  CHECK(library == nvtxDomainCreateW(L"library"));
  const nvtxEventAttributes_t inner = named("inner");
  nvtxDomainRangePushEx(library, &inner);
  CHECK(current() == "library:inner");
  nvtxRangePushA("own");
  nvtxDomainRangePushEx(library, &inner);
  CHECK(current() == "own");
  nvtxDomainRangePop(library);
  nvtxDomainRangePop(library);  // each domain has a stack of its own
  CHECK(current() == "own");
  nvtxDomainRangePop(library);
  nvtxRangePop();
  CHECK(current().empty());
  const nvtxStringHandle_t known = nvtxDomainRegisterStringA(library, "known");
  const nvtxEventAttributes_t by_handle = attributes(NVTX_MESSAGE_TYPE_REGISTERED, {.registered = known});
  nvtxDomainDestroy(library);
  nvtxDomainRangePushEx(library, &by_handle);
  CHECK(current() == "library:known");
  nvtxDomainRangePop(library);
  CHECK(current().empty());
}

TEST_CASE("nvtx: long names are cut between characters", "[nvtx]") {
  const std::string umlauts = [] {
    std::string text = "x";
    for (unsigned i = 0; i < 80; ++i) text += "ä";
    return text;
  }();
  for (const std::string& name : {std::string(100, 'a'), std::string(101, 'a'), std::string(1 << 20, 'a'), umlauts}) {
    nvtxRangePushA(name.c_str());
    CHECK(current().size() <= inject::longest_name);
    CHECK(current().ends_with(name.size() > inject::longest_name ? "..." : "a"));
    nvtxRangePop();
  }
  nvtxRangePushA(umlauts.c_str());
  CHECK(current() == umlauts.substr(0, 97) + "...");
  nvtxRangePop();
  nvtxRangePushW(std::wstring(1 << 20, L'\u20ac').c_str());
  CHECK(current().size() == 96 + 3);
  nvtxRangePop();
  const wchar_t impossible[] = {L'a', static_cast<wchar_t>(0xD800), static_cast<wchar_t>(0x7fffffff), 0};
  nvtxRangePushW(impossible);
  CHECK(current() == "a\xef\xbf\xbd\xef\xbf\xbd");
  nvtxRangePop();
}

TEST_CASE("nvtx: ranges deeper than anybody nests them take no memory", "[nvtx]") {
  const std::size_t deep = 1000;
  for (std::size_t i = 0; i < deep; ++i) nvtxRangePushA(("depth " + std::to_string(i)).c_str());
  CHECK(current() == "depth " + std::to_string(inject::deepest_open - 1));
  for (std::size_t i = 0; i < deep - 1; ++i) nvtxRangePop();
  CHECK(current() == "depth 0");
  nvtxRangePop();
  CHECK(current().empty());
}

TEST_CASE("nvtx: threads mark ranges at the same time, of more names than are kept", "[nvtx]") {
  std::vector<std::thread> threads;
  std::vector<unsigned> wrong(4);
  for (std::size_t k = 0; k < wrong.size(); ++k) {  // before one thread alone can have used up all names
    nvtxRangePushA(("thread " + std::to_string(k)).c_str());
    nvtxRangePop();
  }
  for (std::size_t k = 0; k < wrong.size(); ++k) {
    threads.emplace_back([k, &wrong] {
      for (unsigned i = 0; i < 5000; ++i) {
        const std::string name = "step " + std::to_string(i);
        nvtxRangePushA(("thread " + std::to_string(k)).c_str());
        nvtxRangePushA(name.c_str());
        if (current() != name && current() != inject::other_names) ++wrong[k];
        nvtxRangePop();
        if (current() != "thread " + std::to_string(k)) ++wrong[k];
        nvtxRangePop();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<unsigned>(4));
  nvtxRangePushA("one more");
  CHECK(current() == inject::other_names);
  nvtxRangePop();
  nvtxRangePushA("step 0");  // as before
  CHECK(current() == "step 0");
  CHECK(inject::current_range()->number <= inject::most_names + 1);
  nvtxRangePop();
}

}  // namespace gpumem::test_nvtx

#endif
