/* A libnvidia-ml for tests of the calls' arguments, written from nvml.h. It
 * has no nvmlDeviceGetPowerUsage, and the clock can't be read.
 */
#include <string.h>

typedef struct { unsigned gpu, memory; } utilization;
typedef struct { unsigned long long total, free, used; } memory;
typedef struct device *device;

static int open;
int nvmlInit_v2(void) { open++; return 0; }
int nvmlShutdown(void) { return open-- == 1 ? 0 : 1; }
const char *nvmlErrorString(int r) { return r == 6 ? "Not Found" : "Unknown Error"; }
int nvmlDeviceGetHandleByUUID(const char *uuid, device *d) {
	*d = (device)0xd0;
	return strcmp(uuid, "GPU-1") ? 6 : 0;
}
int nvmlDeviceGetUtilizationRates(device d, utilization *u) { u->gpu = 75; u->memory = 30; return d != (device)0xd0; }
int nvmlDeviceGetMemoryInfo(device d, memory *m) { m->total = 150ull << 30; m->free = 50ull << 30; m->used = 100ull << 30; return d != (device)0xd0; }
int nvmlDeviceGetTemperature(device d, int sensor, unsigned *t) { *t = 61; return sensor != 0 || d != (device)0xd0; }
int nvmlDeviceGetClockInfo(device d, int type, unsigned *c) { *c = 1980; return 3; }
