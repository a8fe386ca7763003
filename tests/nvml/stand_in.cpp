// Stands in for libnvidia-ml.so.1 on a machine of four GPUs: one with three NVLinks (to a switch, to the next GPU, not
// active); one without any; a card with twelve and no bridge; and one whose board has two of three, of which one is not
// active and led to the first GPU. It has no function for fabrics, as older drivers have none.

#include <cstdio>
#include <string_view>

namespace {

constexpr int success = 0;
constexpr int not_supported = 3;
constexpr int invalid_argument = 2;

struct Gpu {
  const char* pci_bus_id;
  unsigned nvlinks;
};
Gpu gpus[] = {{"00000000:0A:00.0", 3}, {"00000000:0B:00.0", 0}, {"00000000:0C:00.0", 12}, {"00000000:0D:00.0", 3}};

bool is_active(const Gpu* gpu, unsigned link) {
  return (gpu == &gpus[0] && link < 2) || (gpu == &gpus[3] && link == 0);
}

struct FieldValue {
  unsigned id;
  unsigned scope;
  long long timestamp;
  long long latency_us;
  int type;
  int status;
  unsigned value;  // of a union of 8 bytes
  unsigned rest;
};

struct PciInfo {
  char legacy_bus_id[16];
  unsigned numbers[5];
  char bus_id[32];
};

int answer(const Gpu* gpu, unsigned link, int* result, int value) {
  if (gpu->nvlinks == 0) return not_supported;
  if (link >= gpu->nvlinks) return invalid_argument;
  *result = value;
  return success;
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return success; }
int nvmlShutdown() { return success; }

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, Gpu** gpu) {
  for (Gpu& known : gpus) {
    if (std::string_view(known.pci_bus_id) != bus_id) continue;
    *gpu = &known;
    return success;
  }
  return invalid_argument;
}

int nvmlDeviceGetNvLinkState(Gpu* gpu, unsigned link, int* enabled) {
  return answer(gpu, link, enabled, is_active(gpu, link) ? 1 : 0);
}

int nvmlDeviceGetNvLinkCapability(Gpu* gpu, unsigned link, int capability, unsigned* has) {
  constexpr int valid = 5;
  int answered = 0;
  const int status = answer(gpu, link, &answered, capability == valid && !(gpu == &gpus[3] && link == 2) ? 1 : 0);
  *has = static_cast<unsigned>(answered);
  return status;
}

int nvmlDeviceGetNvLinkRemoteDeviceType(Gpu* gpu, unsigned link, int* type) {
  constexpr int types[] = {2, 0};
  return answer(gpu, link, type, is_active(gpu, link) ? types[link] : 0xFF);
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(Gpu* gpu, unsigned link, PciInfo* info) {
  int known = 0;
  const int status = answer(gpu, link, &known, 1);
  if (status != success) return status;
  const bool is_remembered = gpu == &gpus[3] && link == 1;
  if (!is_active(gpu, link) && !is_remembered) return not_supported;
  const char* remote = is_remembered ? gpus[0].pci_bus_id : link == 1 ? gpus[1].pci_bus_id : "00000000:C1:00.0";
  std::snprintf(info->bus_id, sizeof(info->bus_id), "%s", remote);
  return success;
}

int nvmlDeviceGetFieldValues(Gpu* gpu, int count, FieldValue* fields) {
  for (int i = 0; i < count; ++i) {
    FieldValue& field = fields[i];
    field.status = not_supported;
    if (gpu->nvlinks == 0) continue;
    if (field.id == 91) field.value = gpu->nvlinks;                   // how many links
    if (field.id == 164) field.value = field.scope == 0 ? 26562 : 0;  // the speed of a link; 90, of all, is unknown
    if (field.id == 91 || field.id == 164) field.status = success;
  }
  return success;
}

int nvmlDeviceGetTopologyCommonAncestor(Gpu* gpu, Gpu* other, int* level) {
  *level = gpu == &gpus[0] && other == &gpus[1] ? 30 : 70;  // the host's bridge; one that nobody knows yet
  return success;
}

int nvmlDeviceGetP2PStatus(Gpu*, Gpu*, int index, int* status) {
  constexpr int statuses[] = {0, 4, 77};  // read, write, NVLink
  *status = statuses[index];
  return success;
}
}
