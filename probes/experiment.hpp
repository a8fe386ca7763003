#pragma once
// Everything that a probe with an experiment of its own includes: what declares it, what runs and checks its kernels,
// and what compares its cases.

#include "engine/measure/cuda.hpp"
#include "engine/measure/experiment.hpp"
#include "engine/measure/kernel_name.hpp"
#include "engine/measure/session.hpp"
#include "engine/measure/verify.hpp"
#include "probes/comparison.hpp"
#include "probes/dispatch.hpp"
#include "probes/probe.hpp"
