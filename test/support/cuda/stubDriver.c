// A stand-in for libcuda.so.1: memory of the host, no card. STUB_FAILS=NAME:CODE lets the call of that name answer the code;
// STUB_FAILS=hang lets nothing that was launched ever end. Results are whatever the memory holds: these tests look at errors only.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int answer(const char *name) {
  const char *fails = getenv("STUB_FAILS");
  size_t length = strlen(name);
  if (fails != NULL && strncmp(fails, name, length) == 0 && fails[length] == ':') return atoi(fails + length + 1);
  return 0;
}
#define ANSWER int code = answer(__func__); if (code != 0) return code

int cuInit(unsigned flags) { ANSWER; return (int)flags; }
int cuDriverGetVersion(int *version) { ANSWER; *version = 12080; return 0; }
int cuDeviceGetCount(int *count) { ANSWER; const char *cards = getenv("STUB_CARDS"); *count = cards == NULL ? 1 : atoi(cards); return 0; }
int cuDeviceGet(int *device, int index) { ANSWER; *device = index; return 0; }
int cuDeviceGetName(char *name, int size, int device) { ANSWER; snprintf(name, (size_t)size, "Stub %d", device); return 0; }
int cuDevicePrimaryCtxRetain(uint64_t *context, int device) { ANSWER; *context = (uint64_t)device + 1; return 0; }
int cuCtxSetCurrent(uint64_t context) { ANSWER; return context == 0; }
int cuModuleLoadData(uint64_t *module, const char *ptx) { ANSWER; *module = strstr(ptx, ".entry") != NULL; return *module ? 0 : 218; }
int cuModuleGetFunction(uint64_t *function, uint64_t module, const char *name) { ANSWER; *function = module + (name[0] == 't'); return 0; }
int cuStreamCreate(uint64_t *stream, unsigned flags) { ANSWER; *stream = flags; return 0; }
int cuStreamQuery(uint64_t stream) {
  ANSWER;
  const char *fails = getenv("STUB_FAILS");
  return stream != 0 && fails != NULL && strcmp(fails, "hang") == 0 ? 600 : 0;
}
int cuMemAlloc_v2(uint64_t *address, size_t bytes) { ANSWER; *address = (uint64_t)calloc(1, bytes); return 0; }
int cuMemFree_v2(uint64_t address) { ANSWER; free((void *)address); return 0; }
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) { ANSWER; memcpy((void *)to, from, bytes); return 0; }
int cuMemcpyHtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, uint64_t stream) {
  ANSWER;
  memcpy((void *)to, (const void *)from, bytes);
  return stream == 0;
}
int cuMemHostAlloc(uint64_t *address, size_t bytes, unsigned flags) { ANSWER; (void)flags; *address = (uint64_t)calloc(1, bytes); return 0; }
int cuMemHostGetDevicePointer_v2(uint64_t *device, uint64_t host, unsigned flags) { ANSWER; *device = host + flags; return 0; }
int cuMemFreeHost(uint64_t address) { ANSWER; free((void *)address); return 0; }
int cuLaunchKernel(uint64_t kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, uint64_t stream,
                   void **parameters, void **extra) {
  ANSWER;
  (void)extra;
  // Refuses what a card refuses.
  if (kernel == 0 || gx == 0 || gy * gz * by * bz != 1 || bx == 0 || bx > 1024 || shared > 49152 || stream == 0) return 1;
  for (int i = 0; i < 4; i++)
    if (parameters[i] == NULL) return 1;
  return 0;
}
int cuGetErrorName(int code, const char **name) {
  *name = code == 1     ? "CUDA_ERROR_INVALID_VALUE"
          : code == 2   ? "CUDA_ERROR_OUT_OF_MEMORY"
          : code == 100 ? "CUDA_ERROR_NO_DEVICE"
          : code == 214 ? "CUDA_ERROR_ECC_UNCORRECTABLE"
          : code == 218 ? "CUDA_ERROR_INVALID_PTX"
          : code == 222 ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
          : code == 719 ? "CUDA_ERROR_LAUNCH_FAILED"
          : code == 803 ? "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"
                        : NULL;
  return *name == NULL;
}
