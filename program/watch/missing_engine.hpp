#pragma once
// In place of an engine that this gpumem was built without.

#include <string>
#include <utility>

#include "program/watch/watch.hpp"

namespace gpumem::inject {

class MissingEngine : public Engine {
 public:
  explicit MissingEngine(std::string reason) : reason_(std::move(reason)) {}

  bool start() override {
    watch().output.write_problem(true, reason_);
    return false;
  }
  void finish() override {}
  void forget(CUcontext) override {}

 private:
  std::string reason_;
};

}  // namespace gpumem::inject
