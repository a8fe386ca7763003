#include <algorithm>
#include <sstream>
#include <string>

#include "app/calibrate/calibration.hpp"

namespace gpumem::app {

namespace {

/// The sweeps of one use. `arguments` are written as for `gpumem probe`.
struct SweepArguments {
  const char* arguments;
  CalibrationUse use = CalibrationUse::fitted;
};

constexpr SweepArguments lines[] = {
    // Shapes from those that launching limits to those that memory does; alignment to a word and to a sector.
    {"offset --offset 0,1,8 --op read,write,copy --word-bytes 4,8,16 --elements-per-thread 1,4,8 "
     "--block-threads 128,512 --buffer 256MiB"},
    // Few blocks at a time: the longer a place stays empty until a block's last warp ends, the more they lose.
    {"offset --offset 0 --op read,copy --word-bytes 4,8 --elements-per-thread 1,2 --block-threads 256,1024 "
     "--buffer 256MiB"},
    // Sectors, atoms, lines and pairs of lines: whole, in part, and left out.
    {"stride --stride 1,2,4,8,16,32 --op read,write,copy --word-bytes 4,8,16 --elements-per-thread 1,8 "
     "--block-threads 128 --buffer 256MiB"},
    // Accesses that L2 serves without memory.
    {"offset --offset 0 --op read,write --word-bytes 4,8,16 --elements-per-thread 4 --block-threads 256 "
     "--buffer 16MiB"},
    {"hierarchy --hierarchy l1,l2"},
    // The same again and again, because stores to L2 are longer than a launch only then. (Memory takes nearly as many.)
    {"pattern --pattern i%(n/64) --op read,write,copy --word-bytes 4,16 --elements-per-thread 4 --block-threads 256 "
     "--buffer 512MiB"},
    // The time that a launch takes besides its accesses.
    {"offset --offset 0 --op read,write --word-bytes 4,8,16 --elements-per-thread 1 --block-threads 256 "
     "--buffer 16KiB,256KiB"},
    {"bank --bank-stride 1,2,4,8,16,32 --word-bytes 4,8,16"},
    // Powers of two use few channels of the host's memory, other strides all.
    {"zero-copy --zero-copy mapped --passes 1 --op read,write,copy --word-bytes 4,16 --offset 0 "
     "--stride 1,2,4,5,8,10,16,32 --buffer 4MiB"},
    {"zero-copy --zero-copy mapped --passes 1 --op read,write,copy --word-bytes 8 --offset 0,1 "
     "--stride 1,5,8 --buffer 4MiB"},
    // The time that a launch over the link takes.
    {"zero-copy --zero-copy mapped --passes 1 --op read,write --word-bytes 4,8,16 --offset 0 --stride 1 "
     "--buffer 16KiB,256KiB"},
    // Scattered accesses, which L1 requests from L2 and L2 from memory, and stores to the same few lines.
    {"pattern --pattern i%4096*(n/4096)+i/4096 --op read,write --word-bytes 4 --elements-per-thread 4 "
     "--block-threads 256 --buffer 16MiB"},
    {"pattern --pattern i%4096*(n/4096)+i/4096 --op read,write --word-bytes 16 --elements-per-thread 4 "
     "--block-threads 256 --buffer 128MiB"},
    {"pattern --pattern ((i*0x9E3779B97F4A7C15>>29^i)*0xB4716089AA796D99>>20)&(n-1) --op read,write --word-bytes 4 "
     "--elements-per-thread 4 --block-threads 256 --buffer 16MiB"},
    {"pattern --pattern ((i*0x9E3779B97F4A7C15>>29^i)*0xB4716089AA796D99>>20)&(n-1) --op read,write --word-bytes 16 "
     "--elements-per-thread 4 --block-threads 256 --buffer 128MiB"},
    {"pattern --pattern ((i*0x9E3779B97F4A7C15>>29^i)*0xB4716089AA796D99>>20)&{4095,16383,65535} --op write "
     "--word-bytes 4 --elements-per-thread 4 --block-threads 256 --buffer 16MiB"},
    // Sectors that two requests write, each a part.
    {"transpose --transpose strided-write --type float,double --matrix 2048,4096"},
    {"pattern --pattern i%1000*(n/1000)+i/1000 --op read,write,copy --word-bytes 4 --elements-per-thread 4 "
     "--block-threads 256 --buffer 16MiB",
     CalibrationUse::held_out},
    {"pattern --pattern i%(n/32) --op read,write,copy --word-bytes 8 --elements-per-thread 1,8 --block-threads 256 "
     "--buffer 512MiB",
     CalibrationUse::held_out},
    {"offset --offset 2,16,31 --op read,write,copy --word-bytes 4,8 --elements-per-thread 1,4 --block-threads 256 "
     "--buffer 256MiB",
     CalibrationUse::held_out},
    {"stride --stride 3,6,12,20,28 --op read,write,copy --word-bytes 4,8,16 --elements-per-thread 4 "
     "--block-threads 256 --buffer 256MiB",
     CalibrationUse::held_out},
    {"zero-copy --zero-copy mapped --passes 1 --op read,write,copy --word-bytes 4,16 --offset 0,2 --stride 1,3,6,12 "
     "--buffer 4MiB",
     CalibrationUse::held_out},
    {"transfer --transfer pageable,pinned --direction to-device,to-host,both "
     "--size 4KiB,64KiB,1MiB,64MiB,256MiB"},
    {"batching --batching separate,packed,batched --direction to-device,to-host --copies 1,4096"},
    {"latency --order random"},
    {"loaded-latency --traffic 0,40,60,80,90,95 --written 0,50,100 --busy-level memory"},
    {"loaded-latency --traffic 0,40,60,80,90,95 --written 0 --busy-level l2"},
    // The bytes that one multiprocessor takes from L2, and the atomics that L2 executes.
    {"neighbours --split 12 --victim l2 --protection none"},
    {"neighbours --split 12,75 --victim atomics --protection none"},
    // Clusters: a block alone, seven that ask the eighth, and all of the GPU.
    {"cluster --cluster 8 --pull ring --pullers 1 --op read,write,atomic"},
    {"cluster --cluster 8 --pull first --op read,write,atomic"},
    {"cluster --cluster 2 --pull ring --op read,write,atomic"},
    {"multicast --sharing-blocks 8 --multicast multicast --multicast-tile 2KiB,32KiB"},
};

}  // namespace

std::vector<CalibrationSweeps> calibration_plan(const std::vector<Probe>& registry) {
  std::vector<CalibrationSweeps> plan;
  for (const SweepArguments& line : lines) {
    std::istringstream words(line.arguments);
    std::string probe;
    words >> probe;
    std::vector<GivenAxis> given;
    for (std::string flag, values; words >> flag >> values;) {
      given.push_back({.flag = flag.substr(2), .texts = {values}});
    }
    plan.push_back({line.use, make_plan(registry, {probe}, given)});
  }
  return plan;
}

bool is_sound(const report::Record& record) {
  return record.status == report::Status::ok && record.verified != false && record.time &&
         record.time->summary.median.count() > 0 && !record.has_flag("throttled") && !record.has_flag("contended") &&
         !record.has_flag("link_degraded");
}

}  // namespace gpumem::app
