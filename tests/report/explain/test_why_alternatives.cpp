// Explanations that compare a case with others: which ones count, and the gain that goes with the cure.

#include <string>

#include "tests/catch.hpp"
#include "tests/report/explain/why_cases.hpp"

namespace gpumem::report::test_why_alternatives {

using namespace why_cases;

TEST_CASE_METHOD(Why, "shifted stores: aligning the base is worth what the aligned case shows", "[why]") {
  const Record shifted = case_of("l2_sectors", "write", 5);
  tell(why({shifted, faster(shifted, 1.25, 4)}));
  tell(brief({shifted, faster(shifted, 1.25, 4)}));
  // Alone there is nothing to say how much it would gain.
  tell(why({shifted}));
  // If the aligned case is no faster, the shift is not the limit.
  tell(why({shifted, faster(shifted, 1.01, 4)}));
}

TEST_CASE("no advice is to do something else instead", "[why]") {
  for (const char* size :
       {"matrix_columns", "product_n", "size_bytes", "footprint_bytes", "level", "stream", "passes"}) {
    CAPTURE(size);
    Record record = case_of("dram");
    record.swept = size;
    record.parameters.front().name = size;
    const std::vector<Record> results = {record, faster(record, 1.7, 4)};
    CHECK(why(results).find("1.70 x") == std::string::npos);
    CHECK(brief(results).find("etter") == std::string::npos);
  }
  // The advice may be to do it in another place, or in another way.
  for (const char* place : {"offset_elements", "stride_elements", "streams", "elements_per_thread"}) {
    CAPTURE(place);
    Record record = case_of("dram");
    record.swept = place;
    record.parameters.front().name = place;
    CHECK(why({record, faster(record, 1.7, 4)}).find("1.70 x") != std::string::npos);
  }
}

TEST_CASE_METHOD(Why, "a case that lies in a cache is none to follow for one that does not", "[why]") {
  const Record record = case_of("dram");
  for (const char* flag : {"cache_resident", "partly_cached"}) {
    CAPTURE(flag);
    Record cached = faster(record, 3, 4);
    cached.flags = {flag};
    CHECK(brief({record, cached}).find("3.00 x") == std::string::npos);
    // The best of those that lie in memory is.
    Record third = faster(record, 1.2, 4);
    third.parameters.front().value = std::uint64_t{2};
    tell(brief({record, cached, third}));
    // And for one that lies there itself.
    Record own = record;
    own.flags = {flag};
    tell(brief({own, cached}));
  }
}

TEST_CASE_METHOD(Why, "the cure goes with the gain of the next alternative that has it, and the best is told too",
                 "[why]") {
  Record plain = bank_case(32);
  plain.compared = "layout";
  plain.parameters.push_back({"layout", "plain"});
  const auto other = [&](const char* layout, double gain, double cost) {
    Record record = bank_case(cost);
    record.compared = plain.compared;
    record.parameters.push_back({"layout", layout});
    *record.headline.predicted *= gain;
    return record;
  };
  Record no_tile = other("none", 4, 1);
  no_tile.access.clear();  // not a tile without conflicts, but no tile
  const std::vector<Record> all = {plain, no_tile, other("padded", 2, 1), other("wide", 3, 1)};
  tell(why(all));
  tell(brief(all));
  tell(why({plain, other("padded", 2, 1)}));
  // A case that comes before is no next step, but may be the best.
  tell(explanations(std::vector<Record>{other("padded", 2, 1), plain})[1].full);
  tell(why({plain, other("worse", 0.9, 1)}));
}

TEST_CASE_METHOD(Why, "what registers save is told of what computes, with the next step's gain", "[why]") {
  Record row = case_of("l1_lines");
  row.compared = "way";
  row.parameters.push_back({"way", "row"});
  Record tile = faster(row, 1.7, 4);
  tile.parameters = {{"offset_elements", std::uint64_t{1}}, {"op", "read"}, {"way", "tile"}};
  tell(brief({row, tile}));
  Record computing = bank_case(1);
  tell(brief({computing}));
  computing.useful_flops = 1'000'000;
  tell(brief({computing}));
  computing.bottleneck->predicted = computing.stages[1].stage = "fp32";
  tell(brief({computing}));
  computing.stages[1].predicted_s = 150e-6;
  tell(brief({computing}));
}

TEST_CASE_METHOD(Why, "another way to do the job goes before another place of the sweep", "[why]") {
  Record pageable = case_of("dram");
  pageable.compared = "host_memory";
  pageable.parameters.push_back({"host_memory", "pageable"});
  Record pinned = pageable;
  pinned.parameters.back().value = "pinned";
  *pinned.headline.predicted *= 3;
  tell(why({pageable, pinned, faster(pageable, 2, 4)}));
  tell(why({pageable, faster(pageable, 2, 4)}));
}

TEST_CASE("cases are compared by the same kind of bandwidth, and only with those that ran", "[why]") {
  Record record = case_of("dram");
  record.headline.measured = *record.headline.predicted;
  Record other = faster(record, 2, 4);
  other.headline.measured.reset();
  CHECK(why({record, other}).find("Better") == std::string::npos);
  other = faster(record, 2, 4);
  CHECK(why({record, other}).find("Better") != std::string::npos);
  other.verified = false;
  CHECK(why({record, other}).find("Better") == std::string::npos);
  other.verified = true;
  other.status = Status::failed;
  CHECK(why({record, other}).find("Better") == std::string::npos);
}

}  // namespace gpumem::report::test_why_alternatives
