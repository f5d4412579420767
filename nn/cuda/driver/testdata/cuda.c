/* A libcuda and libnvrtc for tests of calls: every function records its arguments and does
 * nothing else, except that device memory is host memory. Written from cuda.h and nvrtc.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int CUresult, CUdevice;
typedef unsigned long long CUdeviceptr;
typedef void *handle;

static char log_text[1 << 16];
static size_t log_length;
static int quiet;
void stub_quiet(int on) { quiet = on; } /* for benchmarks: nothing is recorded */
#define NOTE(...) (quiet ? 0 : (log_length += (size_t)snprintf(log_text + log_length, sizeof log_text - log_length, __VA_ARGS__)))

/* For tests: returns and clears the record; makes a call fail. */
const char *stub_notes(void) {
	if (log_length == 0)
		log_text[0] = 0;
	log_length = 0;
	return log_text;
}
static char fails[64];
static int fails_with;
void stub_fail(const char *name, int result) {
	snprintf(fails, sizeof fails, "%s", name);
	fails_with = result;
}
#define FAIL(name)                \
	if (!strcmp(fails, #name)) {    \
		fails[0] = 0;                 \
		return fails_with;            \
	}
static __thread handle current;
#define CURRENT(name)                                    \
	do {                                                   \
		FAIL(name)                                           \
		if (current != (handle)0xc0) return 201; \
	} while (0)

CUresult cuInit(unsigned flags) {
	FAIL(cuInit)
	NOTE("init %s;", getenv("CUDA_DEVICE_MAX_CONNECTIONS"));
	return flags == 0 ? 0 : 1;
}
CUresult cuDriverGetVersion(int *v) { *v = getenv("STUB_OLD") ? 11020 : 12080; return 0; }
CUresult cuGetErrorString(CUresult r, const char **s) {
	*s = r == 2 ? "out of memory" : r == 700 ? "an illegal memory access was encountered" : "some error";
	return 0;
}
CUresult cuDeviceGetCount(int *n) { *n = 2; return 0; }
CUresult cuDeviceGet(CUdevice *d, int i) { *d = 40 + i; return 0; }
CUresult cuDeviceGetName(char *s, int n, CUdevice d) { snprintf(s, n, "Stub %d", d); return 0; }
CUresult cuDeviceGetUuid_v2(unsigned char *u, CUdevice d) { for (int i = 0; i < 16; i++) u[i] = (unsigned char)(d + i); return 0; }
CUresult cuDeviceTotalMem_v2(size_t *n, CUdevice d) { *n = (size_t)5 << 32; return d < 40; }
CUresult cuDeviceGetAttribute(int *v, int a, CUdevice d) { *v = a == 75 ? 9 : a == 76 ? 0 : 1000 + a; return d < 40; }
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice d, unsigned f) { NOTE("flags %d %u;", d, f); return 0; }
CUresult cuDevicePrimaryCtxRetain(handle *c, CUdevice d) { NOTE("retain %d;", d); *c = (handle)0xc0; return 0; }
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice d) { NOTE("release %d;", d); return 0; }
CUresult cuCtxCreate_v2(handle *c, unsigned f, CUdevice d) { FAIL(cuCtxCreate) NOTE("create %d %u;", d, f); *c = current = (handle)0xc0; return 0; }
CUresult cuCtxDestroy_v2(handle c) { NOTE("destroy %p;", c); return 0; }
CUresult cuCtxSetCurrent(handle c) { FAIL(cuCtxSetCurrent) current = c; return 0; }
CUresult cuCtxSynchronize(void) { CURRENT(cuCtxSynchronize); NOTE("synchronize;"); return 0; }
CUresult cuCtxEnablePeerAccess(handle peer, unsigned f) { CURRENT(cuCtxEnablePeerAccess); NOTE("peer %p %u;", peer, f); return 0; }
CUresult cuMemGetInfo_v2(size_t *f, size_t *t) { CURRENT(cuMemGetInfo); *f = 1000; *t = (size_t)5 << 32; return 0; }
CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t n) { CURRENT(cuMemAlloc); NOTE("alloc %zu;", n); *p = (CUdeviceptr)malloc(n); return 0; }
CUresult cuMemFree_v2(CUdeviceptr p) { CURRENT(cuMemFree); NOTE("free;"); free((void *)p); return 0; }
CUresult cuMemHostAlloc(void **p, size_t n, unsigned f) { CURRENT(cuMemHostAlloc); NOTE("pin %zu %u;", n, f); *p = malloc(n); return 0; }
CUresult cuMemFreeHost(void *p) { CURRENT(cuMemFreeHost); NOTE("unpin;"); free(p); return 0; }
CUresult cuStreamCreate(handle *s, unsigned f) { CURRENT(cuStreamCreate); NOTE("stream %u;", f); *s = (handle)0x57; return 0; }
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) { CURRENT(cuCtxGetStreamPriorityRange); *least = 0, *greatest = -5; return 0; }
CUresult cuStreamCreateWithPriority(handle *s, unsigned f, int p) { CURRENT(cuStreamCreateWithPriority); NOTE("stream %u %d;", f, p); *s = (handle)0x58; return 0; }
CUresult cuStreamDestroy_v2(handle s) { CURRENT(cuStreamDestroy); NOTE("close %p;", s); return 0; }
CUresult cuStreamSynchronize(handle s) { CURRENT(cuStreamSynchronize); NOTE("wait %p;", s); return 0; }
CUresult cuStreamWaitEvent(handle s, handle e, unsigned f) { CURRENT(cuStreamWaitEvent); NOTE("wait %p %p %u;", s, e, f); return 0; }
CUresult cuEventCreate(handle *e, unsigned f) { CURRENT(cuEventCreate); NOTE("event %u;", f); *e = (handle)0xe7; return 0; }
CUresult cuEventDestroy_v2(handle e) { CURRENT(cuEventDestroy); NOTE("close %p;", e); return 0; }
CUresult cuEventRecord(handle e, handle s) { CURRENT(cuEventRecord); NOTE("record %p %p;", e, s); return 0; }
CUresult cuEventSynchronize(handle e) { CURRENT(cuEventSynchronize); NOTE("wait %p;", e); return 0; }
CUresult cuEventQuery(handle e) { CURRENT(cuEventQuery); return e != (handle)0xe7; }
CUresult cuEventElapsedTime(float *t, handle a, handle b) { CURRENT(cuEventElapsedTime); NOTE("elapsed %p %p;", a, b); *t = 1.5f; return 0; }
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr d, const void *h, size_t n, handle s) { CURRENT(cuMemcpyHtoDAsync); NOTE("in %zu %p;", n, s); memcpy((void *)d, h, n); return 0; }
CUresult cuMemcpyDtoHAsync_v2(void *h, CUdeviceptr d, size_t n, handle s) { CURRENT(cuMemcpyDtoHAsync); NOTE("out %zu %p;", n, s); memcpy(h, (void *)d, n); return 0; }
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr d, CUdeviceptr h, size_t n, handle s) { CURRENT(cuMemcpyDtoDAsync); NOTE("copy %zu %p;", n, s); memcpy((void *)d, (void *)h, n); return 0; }
CUresult cuMemsetD8Async(CUdeviceptr d, unsigned char v, size_t n, handle s) { CURRENT(cuMemsetD8Async); NOTE("fill %d %zu %p;", v, n, s); memset((void *)d, v, n); return 0; }
CUresult cuModuleLoadData(handle *m, const void *image) { CURRENT(cuModuleLoadData); NOTE("load %.5s;", (const char *)image); *m = (handle)0x30; return 0; }
CUresult cuModuleUnload(handle m) { CURRENT(cuModuleUnload); NOTE("unload %p;", m); return 0; }
CUresult cuModuleGetFunction(handle *f, handle m, const char *name) { CURRENT(cuModuleGetFunction); NOTE("function %p %s;", m, name); *f = (handle)0xf0; return 0; }
CUresult cuFuncGetAttribute(int *v, int a, handle f) { CURRENT(cuFuncGetAttribute); *v = 100 + a; return f != (handle)0xf0; }
CUresult cuFuncSetAttribute(handle f, int a, int v) { CURRENT(cuFuncSetAttribute); NOTE("set %p %d %d;", f, a, v); return 0; }
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, handle f, int threads, size_t shared) { CURRENT(cuOccupancy); NOTE("occupancy %p %d %zu;", f, threads, shared); *n = 3; return 0; }
CUresult cuLaunchKernel(handle f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, handle s, void **p, void **extra) {
	CURRENT(cuLaunchKernel);
	if (log_length > sizeof log_text / 2)
		log_length = 0;
	NOTE("launch %p %u %u %u %u %u %u %u %p", f, gx, gy, gz, bx, by, bz, shared, s);
	if (p)
		NOTE(" %llx %d %lld %g", *(unsigned long long *)p[0], *(int *)p[1], *(long long *)p[2], *(float *)p[3]);
	NOTE("%s;", extra ? " extra" : "");
	return 0;
}
CUresult cuStreamBeginCapture_v2(handle s, int mode) { CURRENT(cuStreamBeginCapture); NOTE("capture %p %d;", s, mode); return 0; }
CUresult cuStreamEndCapture(handle s, handle *g) { CURRENT(cuStreamEndCapture); NOTE("captured %p;", s); *g = (handle)0x96; return 0; }
CUresult cuGraphInstantiateWithFlags(handle *e, handle g, unsigned long long flags) { CURRENT(cuGraphInstantiate); NOTE("instantiate %p %llu;", g, flags); *e = (handle)0x9e; return 0; }
CUresult cuGraphLaunch(handle e, handle s) { CURRENT(cuGraphLaunch); NOTE("graph %p %p;", e, s); return 0; }
CUresult cuGraphDestroy(handle g) { NOTE("destroy graph %p;", g); return 0; }
CUresult cuGraphExecDestroy(handle e) { NOTE("destroy %p;", e); return 0; }

/* ---- NVRTC ---- */

int nvrtcVersion(int *major, int *minor) { *major = 12; *minor = 6; return 0; }
const char *nvrtcGetErrorString(int r) { return r == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR"; }
int nvrtcGetNumSupportedArchs(int *n) { *n = 3; return 0; }
int nvrtcGetSupportedArchs(int *a) { a[0] = 75; a[1] = 80; a[2] = 90; return 0; }
int nvrtcCreateProgram(handle *p, const char *source, const char *name, int headers, const char *const *texts, const char *const *names) {
	NOTE("program %s %s", name, source);
	for (int i = 0; i < headers; i++)
		NOTE(" %s=%s", names[i], texts[i]);
	NOTE(";");
	*p = (handle)0x90;
	return 0;
}
int nvrtcDestroyProgram(handle *p) { NOTE("destroy %p;", *p); *p = 0; return 0; }
int nvrtcCompileProgram(handle p, int n, const char *const *options) {
	NOTE("compile %p", p);
	for (int i = 0; i < n; i++)
		NOTE(" %s", options[i]);
	NOTE(";");
	return strstr(log_text, "wrong") ? 6 : 0;
}
int nvrtcGetProgramLogSize(handle p, size_t *n) { *n = 27 + (p == 0); return 0; }
int nvrtcGetProgramLog(handle p, char *s) { strcpy(s, p ? "test.cu(1): error: q is no" : ""); return 0; }
int nvrtcGetCUBINSize(handle p, size_t *n) { *n = 5; return p == 0; }
int nvrtcGetCUBIN(handle p, char *s) { memcpy(s, "CUBIN", 5); return p == 0; }
int nvrtcGetPTXSize(handle p, size_t *n) { *n = 4; return p == 0; }
int nvrtcGetPTX(handle p, char *s) { memcpy(s, "PTX", 4); return p == 0; }
