/* SPDX-License-Identifier: Apache-2.0 */
/*
 * weft.h: run GPU plugins that nobody has to trust.
 *
 * This header is the whole public interface of libweft and its manual. It is C11 and C++20; it includes no other header of weft
 * and not webgpu.h. `weft.hpp` beside it is RAII on top. It is written in webgpu.h's manner, so who knows that has little to learn:
 * descriptors with `nextInChain`, `WeftStringView`, `AddRef`/`Release`.
 *
 * Ways through it
 *   files to files        weftRuntimeCreate -> weftGraphCreate -> AddSource, AddPlugin, Bind, SetParameter, AddSink -> weftGraphRun
 *   as `weft run` does    weftRuntimeCreate -> weftGraphCreateFromShorthand -> weftGraphRun
 *   a graph document      weftRuntimeCreate -> weftGraphCreateFromJson -> weftGraphRun
 *   inside your program   weftRuntimeCreate (in process) -> weftChainCreate -> Push, Pull, Push, Pull, ...
 *   look at a plugin      weftRuntimeCreate -> weftPluginOpen -> weftPluginGetInfo
 *   a plain component     weftRuntimeCreate -> weftExecCreate -> weftExecInvoke
 *
 * Errors
 *   Functions that can fail return `WeftError*`. NULL is success. Otherwise the caller owns the error and calls weftErrorRelease;
 *   out parameters are then untouched. The error has a kind, one sentence for a person and the context it came through. Nothing
 *   of weft prints, exits, or throws through this header. What a plugin does wrong is an error value here, never the end of your
 *   program in supervised mode; see WeftRuntimeMode for what in-process mode gives up.
 *
 * Ownership
 *   Objects (WeftRuntime, WeftGraph, ...) are reference counted, and come with one reference that the caller owns. They keep alive
 *   what they need: a graph its runtime, an image its chain. NULL may be given to every Release.
 *   Descriptors, arrays and strings that you pass in need to live only until the call returns; weft copies.
 *   Pointers that a Get function returns live as long as the object that was asked and are not to be freed.
 *
 * Threads
 *   Reference counts, WeftRuntime, WeftPlugin, WeftReport, WeftImage and WeftError may be used from any thread at once. A WeftGraph
 *   or a WeftExec belongs to one thread at a time, except for weftGraphCancel. Of a WeftChain one thread may push while another
 *   pulls and a third sets parameters. Callbacks come from weft's own threads, one at a time for one callback unless said
 *   otherwise; they must return soon, must not throw, and must not call back into the object that calls them (weftGraphCancel and
 *   all functions of other objects are allowed).
 *
 * Units
 *   Sizes in bytes unless the name says pixels; times are rational seconds (WeftRational) or nanoseconds where the name ends in
 *   `Nanoseconds`; pixels run left to right, rows top to bottom, (0, 0) is the top left corner; colours given as
 *   WeftValueKind_Color are what "#rrggbbaa" means (sRGB-encoded, straight alpha, 0 to 1).
 *
 * Zero is the default
 *   A descriptor of zeros, `WeftRuntimeDescriptor d = {0};`, asks for the defaults. Enum value 0 is "default" or "undefined".
 *   nextInChain must be NULL or point to a struct that this header allows there; anything else is an invalid argument.
 */
#ifndef WEFT_WEFT_H_
#define WEFT_WEFT_H_

#include <stddef.h>
#include <stdint.h>

#define WEFT_VERSION_MAJOR 0
#define WEFT_VERSION_MINOR 1
#define WEFT_VERSION_PATCH 0
/* Number of the binary interface: it is the soname's. As long as the major version is 0 every minor version may raise it. */
#define WEFT_ABI 0

#if defined(WEFT_STATIC)
#define WEFT_EXPORT
#elif defined(_WIN32)
#if defined(WEFT_IMPLEMENTATION)
#define WEFT_EXPORT __declspec(dllexport)
#else
#define WEFT_EXPORT __declspec(dllimport)
#endif
#else
#define WEFT_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
#define WEFT_NOEXCEPT noexcept
extern "C" {
#else
#define WEFT_NOEXCEPT
#endif

/* ---- webgpu.h's handles, as webgpu.h declares them; both headers may be included, in any order. ------------------------------ */

typedef struct WGPUInstanceImpl* WGPUInstance;
typedef struct WGPUAdapterImpl* WGPUAdapter;
typedef struct WGPUDeviceImpl* WGPUDevice;
typedef struct WGPUQueueImpl* WGPUQueue;
typedef struct WGPUTextureImpl* WGPUTexture;

/* ---- Basic types -------------------------------------------------------------------------------------------------------------- */

typedef uint32_t WeftBool; /* 0 or 1 */

/* UTF-8, not necessarily ended by a zero. {NULL, 0} is "not given"; {p, WEFT_STRLEN} is a zero-terminated string. */
typedef struct WeftStringView {
  const char* data;
  size_t length;
} WeftStringView;
#define WEFT_STRLEN SIZE_MAX

/* num / den. den > 0 in all that weft gives; {0, 0} in what weft takes means "not given". */
typedef struct WeftRational {
  int64_t num;
  int64_t den;
} WeftRational;

typedef enum WeftSType {
  WeftSType_None = 0,
  WeftSType_ExternalDevice = 1, /* WeftExternalDevice, in WeftRuntimeDescriptor */
  WeftSType_Force32 = 0x7FFFFFFF
} WeftSType;

/* First member of every struct that can stand in a nextInChain. */
typedef struct WeftChained {
  const struct WeftChained* next;
  WeftSType sType;
} WeftChained;

typedef struct WeftErrorImpl WeftError;
typedef struct WeftStringImpl* WeftString;
typedef struct WeftRuntimeImpl* WeftRuntime;
typedef struct WeftAdapterListImpl* WeftAdapterList;
typedef struct WeftPluginImpl* WeftPlugin;
typedef struct WeftGraphImpl* WeftGraph;
typedef struct WeftReportImpl* WeftReport;
typedef struct WeftChainImpl* WeftChain;
typedef struct WeftImageImpl* WeftImage;
typedef struct WeftExecImpl* WeftExec;

/* ---- Version ------------------------------------------------------------------------------------------------------------------ */

/* Version of the library that runs, "0.1.0". Lives for ever. */
WEFT_EXPORT WeftStringView weftGetVersion(void) WEFT_NOEXCEPT;

/* ---- Errors ------------------------------------------------------------------------------------------------------------------- */

typedef enum WeftErrorKind {
  WeftErrorKind_InvalidArgument = 1, /* asked for something that cannot be: option, parameter, graph, content of a file */
  WeftErrorKind_Unsupported = 2,     /* well-formed, but this build, library or device cannot do it */
  WeftErrorKind_NotFound = 3,        /* a file, plugin, parameter or device that is not there */
  WeftErrorKind_Io = 4,              /* the operating system refused: reading, writing, renaming */
  WeftErrorKind_OutOfMemory = 5,     /* memory, GPU memory, or a quota */
  WeftErrorKind_DeviceLost = 6,      /* the GPU device is gone */
  WeftErrorKind_GuestTrap = 7,       /* a plugin trapped, ran over its time, returned an error or broke its contract */
  WeftErrorKind_Cancelled = 8,       /* somebody asked for the end */
  WeftErrorKind_Internal = 9,        /* a fault of weft: please report it */
  WeftErrorKind_Force32 = 0x7FFFFFFF
} WeftErrorKind;

WEFT_EXPORT WeftErrorKind weftErrorGetKind(const WeftError* error) WEFT_NOEXCEPT;
/* The whole sentence with its context: "node 'blur': parameter 'radius' is 90; it must be between 0 and 64." */
WEFT_EXPORT WeftStringView weftErrorGetText(const WeftError* error) WEFT_NOEXCEPT;
/* The sentence alone. */
WEFT_EXPORT WeftStringView weftErrorGetMessage(const WeftError* error) WEFT_NOEXCEPT;
/* What was being done, outermost last: index 0 to count - 1; an empty view past the end. */
WEFT_EXPORT size_t weftErrorGetContextCount(const WeftError* error) WEFT_NOEXCEPT;
WEFT_EXPORT WeftStringView weftErrorGetContext(const WeftError* error, size_t index) WEFT_NOEXCEPT;
WEFT_EXPORT void weftErrorAddRef(WeftError* error) WEFT_NOEXCEPT;
WEFT_EXPORT void weftErrorRelease(WeftError* error) WEFT_NOEXCEPT;
/* Stable name of a kind, "invalid-argument". Lives for ever. */
WEFT_EXPORT WeftStringView weftErrorKindGetName(WeftErrorKind kind) WEFT_NOEXCEPT;

/* A string that weft made; also zero-terminated. */
WEFT_EXPORT WeftStringView weftStringGet(WeftString string) WEFT_NOEXCEPT;
WEFT_EXPORT void weftStringAddRef(WeftString string) WEFT_NOEXCEPT;
WEFT_EXPORT void weftStringRelease(WeftString string) WEFT_NOEXCEPT;

/* ---- Runtime: where plugins run ------------------------------------------------------------------------------------------------ */

typedef enum WeftLogLevel {
  WeftLogLevel_Debug = 1,
  WeftLogLevel_Info = 2,
  WeftLogLevel_Warning = 3,
  WeftLogLevel_Error = 4,
  WeftLogLevel_Force32 = 0x7FFFFFFF
} WeftLogLevel;

/* One message, no newline at its end. Called from any thread, also from several at once: lock if you must. */
typedef void (*WeftLogCallback)(WeftLogLevel level, WeftStringView message, void* userdata);

typedef enum WeftRuntimeMode {
  /* Plugins, GPU and codecs live in a worker process. A plugin or driver that hangs or dies ends the worker, not your program;
     weft kills it, says which node was to blame, and returns an error. The worker program is found beside libweft
     (libexec/weft-worker) or through WeftRuntimeDescriptor.workerPath or the environment variable WEFT_WORKER. Chains are not
     available, since textures cannot cross processes. */
  WeftRuntimeMode_Supervised = 0,
  /* Everything in your process. Traps, time limits and quotas of plugins hold as well; given up is this: a crash or abort inside
     the GPU library or driver ends your process, and a call that is stuck in the driver cannot be ended. The WebAssembly engine
     installs handlers for SIGSEGV, SIGBUS, SIGILL and SIGFPE, which pass on what is not theirs. */
  WeftRuntimeMode_InProcess = 1,
  WeftRuntimeMode_Force32 = 0x7FFFFFFF
} WeftRuntimeMode;

/* Limits: what one plugin instance may use. Over a limit the plugin sees an error or traps, and its node fails. */
typedef enum WeftLimitUnit {
  WeftLimitUnit_Count = 1,
  WeftLimitUnit_Bytes = 2,
  WeftLimitUnit_Nanoseconds = 3,
  WeftLimitUnit_Force32 = 0x7FFFFFFF
} WeftLimitUnit;

typedef struct WeftLimitInfo {
  WeftStringView name; /* "gpu-memory" */
  WeftLimitUnit unit;
  uint64_t defaultValue;      /* 0: not limited */
  WeftStringView description; /* of what: "its buffers and textures together" */
} WeftLimitInfo;

/* All limits that there are, the same for a version of weft. They live for ever. */
WEFT_EXPORT size_t weftGetLimitCount(void) WEFT_NOEXCEPT;
/* NULL past the end. */
WEFT_EXPORT const WeftLimitInfo* weftGetLimit(size_t index) WEFT_NOEXCEPT;

/* A limit with its value, in its unit; at least 1. */
typedef struct WeftLimit {
  WeftStringView name;
  uint64_t value;
} WeftLimit;

/* Chained to WeftRuntimeDescriptor: use a device that the caller made. In-process mode only.
   weft loads `library` by its path (the copy already in your process, when it is the same file) and calls that copy and no other.
   The four handles are referenced until the runtime is gone. weft submits on `queue` from its own threads; webgpu.h allows that. weft
   installs no error callback on a device that it has not made, so the caller's own uncaptured-error callback also hears about what
   plugins do wrong, although plugins are checked first. */
typedef struct WeftExternalDevice {
  WeftChained chain; /* sType = WeftSType_ExternalDevice */
  WeftStringView library;
  WGPUInstance instance;
  WGPUAdapter adapter;
  WGPUDevice device;
  WGPUQueue queue;
  /* Non-zero: weft polls the instance and the device from its own thread, so that maps and the like complete. Zero: the caller does so
     while a pull waits. */
  WeftBool poll;
} WeftExternalDevice;

typedef struct WeftRuntimeDescriptor {
  const WeftChained* nextInChain;
  WeftRuntimeMode mode;
  /* Which GPU: empty = the first discrete, else integrated, else software one; a number from weftRuntimeGetAdapters; or part of its
     name, upper and lower case alike. */
  WeftStringView gpu;
  /* Path of the webgpu.h library; empty = environment variable WEFT_GPU_LIBRARY, else the one that weft was built for. */
  WeftStringView gpuLibrary;
  WeftStringView workerPath; /* supervised mode; see there */
  /* Where compiled plugins are kept; empty = $XDG_CACHE_HOME/weft or ~/.cache/weft. */
  WeftStringView cachePath;
  /* Non-zero: plugins get no wasi:webgpu; one that imports it is refused when it is loaded. */
  WeftBool denyGpu;
  size_t limitCount;
  const WeftLimit* limits; /* those that are not to have their defaults */
  WeftLogCallback log;     /* NULL = silent */
  void* logUserdata;
} WeftRuntimeDescriptor;

/* Cheap: no process is started and no GPU is touched until something needs it. */
WEFT_EXPORT WeftError* weftRuntimeCreate(const WeftRuntimeDescriptor* descriptor, WeftRuntime* runtime) WEFT_NOEXCEPT;
WEFT_EXPORT void weftRuntimeAddRef(WeftRuntime runtime) WEFT_NOEXCEPT;
WEFT_EXPORT void weftRuntimeRelease(WeftRuntime runtime) WEFT_NOEXCEPT;

typedef enum WeftAdapterType {
  WeftAdapterType_Unknown = 0,
  WeftAdapterType_Discrete = 1,
  WeftAdapterType_Integrated = 2,
  WeftAdapterType_Software = 3,
  WeftAdapterType_Force32 = 0x7FFFFFFF
} WeftAdapterType;

typedef struct WeftAdapterInfo {
  WeftStringView name; /* "NVIDIA H200", "llvmpipe (LLVM 15.0.6, 256 bits)" */
  WeftStringView vendor;
  WeftStringView driver;  /* name and version, as far as the library tells */
  WeftStringView backend; /* "vulkan", "metal", "d3d12", "gl" */
  WeftAdapterType type;
  WeftBool chosen; /* the one that this runtime's `gpu` selects */
} WeftAdapterInfo;

/* The adapters that the runtime's GPU library offers. */
WEFT_EXPORT WeftError* weftRuntimeGetAdapters(WeftRuntime runtime, WeftAdapterList* adapters) WEFT_NOEXCEPT;
WEFT_EXPORT size_t weftAdapterListGetCount(WeftAdapterList adapters) WEFT_NOEXCEPT;
/* NULL past the end. */
WEFT_EXPORT const WeftAdapterInfo* weftAdapterListGet(WeftAdapterList adapters, size_t index) WEFT_NOEXCEPT;
WEFT_EXPORT void weftAdapterListAddRef(WeftAdapterList adapters) WEFT_NOEXCEPT;
WEFT_EXPORT void weftAdapterListRelease(WeftAdapterList adapters) WEFT_NOEXCEPT;

typedef struct WeftDeviceInfo {
  WGPUInstance instance;
  WGPUAdapter adapter;
  WGPUDevice device;
  WGPUQueue queue;
  WeftStringView library; /* path of the library that these belong to: load it and call it through that handle */
} WeftDeviceInfo;

/* The device that plugins run on, started if need be: weft's own, or the caller's. In-process mode only. The handles are borrowed
   and live as long as the runtime; never destroy the device. */
WEFT_EXPORT WeftError* weftRuntimeGetDevice(WeftRuntime runtime, WeftDeviceInfo* device) WEFT_NOEXCEPT;

/* ---- Values of parameters ------------------------------------------------------------------------------------------------------ */

typedef enum WeftValueKind {
  WeftValueKind_Undefined = 0,
  WeftValueKind_Boolean = 1,
  WeftValueKind_Integer = 2,
  WeftValueKind_Number = 3,
  WeftValueKind_Text = 4,   /* also: a choice by its name */
  WeftValueKind_Vector = 5, /* points, sizes, and colours as the plugin sees them: linear, straight alpha, working space */
  WeftValueKind_Color = 6,  /* what "#rrggbbaa" means; weft makes the plugin's vector of it */
  WeftValueKind_Bytes = 7,  /* content of a file: a LUT, a font */
  WeftValueKind_Force32 = 0x7FFFFFFF
} WeftValueKind;

typedef struct WeftValue {
  WeftValueKind kind;
  WeftBool boolean;
  int64_t integer;
  double number;
  double vector[4];      /* Vector and Color; a colour is red, green, blue, alpha */
  uint32_t vectorLength; /* how many of them are meant; 0 = 4 */
  WeftStringView text;
  const void* bytes;
  size_t byteCount;
} WeftValue;

/* ---- Plugins: what a file says about itself -------------------------------------------------------------------------------------- */

typedef enum WeftPortKind {
  WeftPortKind_Texture = 1,
  WeftPortKind_Buffer = 2,
  WeftPortKind_Data = 3, /* bytes on the CPU, such as JSON */
  WeftPortKind_Force32 = 0x7FFFFFFF
} WeftPortKind;

typedef struct WeftPort {
  WeftStringView id; /* "background" */
  WeftStringView label;
  WeftPortKind kind;
  WeftBool optional;
  WeftStringView formats; /* texture: "rgba8unorm rgba16float", empty = any colour format; data: media type */
  int32_t windowFirst;    /* input textures: frames wanted around the current one, windowFirst <= 0 <= windowLast */
  int32_t windowLast;
} WeftPort;

typedef struct WeftParameter {
  WeftStringView id; /* "radius" */
  WeftStringView label;
  WeftStringView description;
  WeftStringView group;
  WeftStringView look;    /* "plain", "slider", "angle", "point", "size", "color", "file", "hidden" */
  WeftValue defaultValue; /* its kind is the parameter's type; a choice is Text */
  WeftBool hasMinimum;
  WeftBool hasMaximum;
  double minimum;
  double maximum;
  size_t choiceCount;
  const WeftStringView* choices; /* choiceCount > 0: the value is one of these */
  WeftBool animatable;           /* may change from frame to frame */
} WeftParameter;

typedef struct WeftPluginInfo {
  WeftStringView path;
  WeftStringView sha256; /* 64 hexadecimal digits, of the file's bytes */
  WeftStringView id;     /* "org.example.gaussian-blur" */
  WeftStringView label;
  WeftStringView version;
  WeftStringView description;
  WeftBool sequential; /* frames must come in order */
  size_t inputCount;
  const WeftPort* inputs;
  size_t outputCount;
  const WeftPort* outputs;
  size_t parameterCount;
  const WeftParameter* parameters;
  size_t importCount;
  const WeftStringView* imports; /* "wasi:webgpu/webgpu@0.3.0-rc.2"; none for a plugin of WGSL and JSON */
  size_t limitCount;
  const WeftLimit* limits; /* all, as this runtime has them; 0: not limited */
  WeftStringView bindings; /* plugin of WGSL and JSON: its binding layout as WGSL text, empty otherwise */
} WeftPluginInfo;

/* Loads a plugin (a component, or the JSON of a WGSL plugin), checks it against weft's world and grants, and asks it to describe
   itself. No GPU is needed. */
WEFT_EXPORT WeftError* weftPluginOpen(WeftRuntime runtime, WeftStringView path, WeftPlugin* plugin) WEFT_NOEXCEPT;
WEFT_EXPORT const WeftPluginInfo* weftPluginGetInfo(WeftPlugin plugin) WEFT_NOEXCEPT;
WEFT_EXPORT void weftPluginAddRef(WeftPlugin plugin) WEFT_NOEXCEPT;
WEFT_EXPORT void weftPluginRelease(WeftPlugin plugin) WEFT_NOEXCEPT;

/* ---- Graph: files through plugins to files ----------------------------------------------------------------------------------------- */

typedef enum WeftWorkFormat {
  WeftWorkFormat_Default = 0, /* rgba16float */
  WeftWorkFormat_Rgba8Unorm = 1,
  WeftWorkFormat_Rgba16Float = 2,
  WeftWorkFormat_Rgba32Float = 3,
  WeftWorkFormat_Force32 = 0x7FFFFFFF
} WeftWorkFormat;

typedef enum WeftFit {
  WeftFit_Default = 0, /* contain */
  WeftFit_Contain = 1, /* whole picture, transparent borders */
  WeftFit_Cover = 2,   /* whole target, what sticks out is cut */
  WeftFit_Fill = 3,    /* both, the picture is stretched */
  WeftFit_Force32 = 0x7FFFFFFF
} WeftFit;

typedef struct WeftGraphDescriptor {
  const WeftChained* nextInChain;
  WeftWorkFormat workFormat; /* format of the textures between nodes */
} WeftGraphDescriptor;

/* One "key=value" of a source's or sink's options, such as codec=libx265. */
typedef struct WeftOption {
  WeftStringView key;
  WeftStringView value;
} WeftOption;

/* An empty graph. Ids of nodes are up to the caller: letters, digits, '-' and '_', each once. */
WEFT_EXPORT WeftError* weftGraphCreate(WeftRuntime runtime, const WeftGraphDescriptor* descriptor, WeftGraph* graph) WEFT_NOEXCEPT;
/* A graph document (JSON, // comments allowed). Relative paths in it resolve under `folder`; empty = the current folder. */
WEFT_EXPORT WeftError* weftGraphCreateFromJson(WeftRuntime runtime, WeftStringView json, WeftStringView folder,
                                               WeftGraph* graph) WEFT_NOEXCEPT;
/* What the arguments of `weft run` say; the strings are written as there (see `weft help run`, or docs/reference/cli.md). */
typedef struct WeftShorthand {
  const WeftChained* nextInChain;
  size_t inputCount;
  const WeftStringView* inputs; /* "in.mp4" */
  size_t pluginCount;
  const WeftStringView* plugins; /* "composite.wasm@c:background=#2,mode=screen" */
  size_t outputCount;
  const WeftStringView* outputs; /* "out.mp4:crf=16", "hist.png=c.histogram" */
  uint32_t width;                /* pixels; 0 = as it comes out of the last plugin */
  uint32_t height;
  WeftFit fit;
  WeftWorkFormat workFormat;
} WeftShorthand;
WEFT_EXPORT WeftError* weftGraphCreateFromShorthand(WeftRuntime runtime, const WeftShorthand* shorthand, WeftGraph* graph) WEFT_NOEXCEPT;
/* The graph as a document. */
WEFT_EXPORT WeftError* weftGraphGetJson(WeftGraph graph, WeftString* json) WEFT_NOEXCEPT;
WEFT_EXPORT void weftGraphAddRef(WeftGraph graph) WEFT_NOEXCEPT;
WEFT_EXPORT void weftGraphRelease(WeftGraph graph) WEFT_NOEXCEPT;

/* A picture, a clip, a sequence ("shot.%04d.png"), or "-" for standard input (options: format=y4m or format=raw and its shape).
   Its output port is "out". */
WEFT_EXPORT WeftError* weftGraphAddSource(WeftGraph graph, WeftStringView id, WeftStringView path, size_t optionCount,
                                          const WeftOption* options) WEFT_NOEXCEPT;
/* A plugin's file; its ports are the plugin's. */
WEFT_EXPORT WeftError* weftGraphAddPlugin(WeftGraph graph, WeftStringView id, WeftStringView path) WEFT_NOEXCEPT;
/* A file to write; "-" is standard output. Its input port is "in". The folder must exist. A name for many frames has a %d. */
WEFT_EXPORT WeftError* weftGraphAddSink(WeftGraph graph, WeftStringView id, WeftStringView path, size_t optionCount,
                                        const WeftOption* options) WEFT_NOEXCEPT;

/* Lanczos, in linear light on premultiplied alpha. Ports "in" and "out"; width and height in pixels. */
WEFT_EXPORT WeftError* weftGraphAddResize(WeftGraph graph, WeftStringView id, uint32_t width, uint32_t height, WeftFit fit) WEFT_NOEXCEPT;

/* Connects an output to an input. An empty fromPort is the first output, an empty toPort the first input; an edge to the first input is
   left out where another names that port. */
WEFT_EXPORT WeftError* weftGraphBind(WeftGraph graph, WeftStringView toNode, WeftStringView toPort, WeftStringView fromNode,
                                     WeftStringView fromPort) WEFT_NOEXCEPT;

/* Names, types and ranges are checked when the graph runs: only then are the plugins loaded. */
WEFT_EXPORT WeftError* weftGraphSetParameter(WeftGraph graph, WeftStringView node, WeftStringView parameter,
                                             const WeftValue* value) WEFT_NOEXCEPT;
/* From `first` at the first frame of the run to `last` at the last one, linear between. Numbers, vectors and colours. */
WEFT_EXPORT WeftError* weftGraphSetRamp(WeftGraph graph, WeftStringView node, WeftStringView parameter, const WeftValue* first,
                                        const WeftValue* last) WEFT_NOEXCEPT;

typedef struct WeftProgress {
  uint64_t framesDone;
  uint64_t framesTotal; /* 0 = not known */
  uint64_t elapsedNanoseconds;
} WeftProgress;

/* Called at the start, about ten times a second, and at the end. */
typedef void (*WeftProgressCallback)(const WeftProgress* progress, void* userdata);

typedef struct WeftRunDescriptor {
  const WeftChained* nextInChain;
  /* Which frames of the inputs: "7", "1001-1005", "1001-1005x2", "10-"; empty = all. Frames count from 0; those of a sequence have
     the number in their file's name. One that is asked for and not there is an error. */
  WeftStringView frames;
  WeftBool overwrite;            /* zero: an output that exists is an error */
  WeftProgressCallback progress; /* may be NULL */
  void* progressUserdata;
} WeftRunDescriptor;

/* Runs the graph and returns when it has ended. Outputs appear whole under their names or not at all; a cancelled or failed run
   leaves the pictures that were finished. `report` may be NULL. A NULL descriptor asks for the defaults. */
WEFT_EXPORT WeftError* weftGraphRun(WeftGraph graph, const WeftRunDescriptor* descriptor, WeftReport* report) WEFT_NOEXCEPT;
/* Makes the run that is going on, or else the next one, end soon (within 2 s) with WeftErrorKind_Cancelled. Any thread. */
WEFT_EXPORT void weftGraphCancel(WeftGraph graph) WEFT_NOEXCEPT;

/* The most that a plugin used of a limit, all its instances one by one. */
typedef struct WeftLimitUse {
  WeftStringView name;
  uint64_t used;
  uint64_t limit; /* 0: not limited */
} WeftLimitUse;

typedef struct WeftNodeReport {
  WeftStringView id;
  WeftStringView kind; /* "source", "plugin", "resize", "sink" */
  WeftBool conversion; /* weft put it in: upload, read-back, formats, colour */
  uint64_t frames;
  uint64_t cpuNanoseconds; /* time on CPU threads, all frames together */
  WeftBool hasGpuTime;
  uint64_t gpuNanoseconds;      /* all frames together */
  WeftStringView gpuTimeReason; /* why there is none */
  size_t useCount;
  const WeftLimitUse* uses; /* of plugins that are components; limits whose use is not measured are missing */
} WeftNodeReport;

typedef struct WeftReportInfo {
  uint64_t frames;
  uint64_t elapsedNanoseconds;
  WeftStringView gpu; /* name of the adapter, empty when none was used */
  size_t nodeCount;
  const WeftNodeReport* nodes; /* in the order in which a frame passes them */
  size_t fileCount;
  const WeftStringView* files; /* what was written; a sequence is one entry */
} WeftReportInfo;

WEFT_EXPORT const WeftReportInfo* weftReportGetInfo(WeftReport report) WEFT_NOEXCEPT;
WEFT_EXPORT void weftReportAddRef(WeftReport report) WEFT_NOEXCEPT;
WEFT_EXPORT void weftReportRelease(WeftReport report) WEFT_NOEXCEPT;

/* ---- Chain: frames of your own program through plugins ----------------------------------------------------------------------------- */

/* How the samples of a CPU frame lie in memory. Samples are native-endian; those of more than 8 bits take two bytes. */
typedef enum WeftPixelFormat {
  WeftPixelFormat_Undefined = 0,
  WeftPixelFormat_Rgba8Unorm = 1,  /* one plane, 4 bytes a pixel: R, G, B, A */
  WeftPixelFormat_Bgra8Unorm = 2,  /* one plane, 4 bytes a pixel: B, G, R, A */
  WeftPixelFormat_Rgba16Unorm = 3, /* one plane, 8 bytes a pixel */
  WeftPixelFormat_Rgba16Float = 4, /* one plane, 8 bytes a pixel */
  WeftPixelFormat_Rgba32Float = 5, /* one plane, 16 bytes a pixel */
  WeftPixelFormat_Rgb8Unorm = 6,   /* one plane, 3 bytes a pixel */
  WeftPixelFormat_R8Unorm = 7,     /* gray */
  WeftPixelFormat_Yuv420p8 = 8,    /* planes Y, Cb, Cr; chroma halved both ways and rounded up */
  WeftPixelFormat_Yuv422p8 = 9,
  WeftPixelFormat_Yuv444p8 = 10,
  WeftPixelFormat_Yuv420p10 = 11, /* the 10 bits are the low ones */
  WeftPixelFormat_Nv12 = 12,      /* planes Y, then pairs of Cb and Cr */
  WeftPixelFormat_P010 = 13,      /* as Nv12, 16-bit samples, the 10 bits are the high ones */
  WeftPixelFormat_Force32 = 0x7FFFFFFF
} WeftPixelFormat;

typedef enum WeftAlphaMode {
  WeftAlphaMode_Default = 0, /* straight where there is alpha, else opaque */
  WeftAlphaMode_Opaque = 1,
  WeftAlphaMode_Straight = 2,
  WeftAlphaMode_Premultiplied = 3,
  WeftAlphaMode_Force32 = 0x7FFFFFFF
} WeftAlphaMode;

typedef enum WeftColorRange {
  WeftColorRange_Default = 0, /* full for RGB and gray, limited for YCbCr */
  WeftColorRange_Limited = 1,
  WeftColorRange_Full = 2,
  WeftColorRange_Force32 = 0x7FFFFFFF
} WeftColorRange;

/* Code points of ITU-T H.273. 0 is the default: primaries BT.709 (1); transfer sRGB (13), of float planes linear (8), of YCbCr BT.709 (1);
   matrix BT.709 (1), of YCbCr only. Say transfer 8 for a texture that holds linear light. */
typedef struct WeftColorSpace {
  uint32_t primaries;
  uint32_t transfer;
  uint32_t matrix;
  WeftColorRange range;
} WeftColorSpace;

typedef struct WeftPlane {
  const void* data; /* top row first */
  size_t stride;    /* bytes from row to row; in what weft takes 0 = rows without gaps */
} WeftPlane;

/* A frame that is given or got: either planes[0].data or `texture` is set. */
typedef struct WeftFrame {
  const WeftChained* nextInChain;
  uint32_t width; /* pixels; of a texture weft asks the texture */
  uint32_t height;
  WeftPixelFormat format; /* of the planes; a texture knows its own */
  WeftPlane planes[4];
  WGPUTexture texture; /* 2D, one sample, usage with TextureBinding | CopySrc; on the runtime's device */
  WeftColorSpace color;
  WeftAlphaMode alpha;
  uint64_t number;       /* told to the plugins */
  WeftRational pts;      /* seconds; not given = number / the chain's rate */
  WeftRational duration; /* seconds; not given = 1 / the chain's rate */
} WeftFrame;

typedef struct WeftChainNode {
  WeftStringView id;     /* name for weftChainSet and in errors; empty = the file's name without its extension */
  WeftStringView plugin; /* path */
} WeftChainNode;

typedef struct WeftChainDescriptor {
  const WeftChained* nextInChain;
  size_t nodeCount;
  const WeftChainNode* nodes; /* the first output of each goes to the first input of the next */
  WeftWorkFormat workFormat;
  WeftRational rate;   /* frames a second, told to the plugins; not given = no constant rate */
  uint32_t queueDepth; /* frames between push and pull; 0 = 4 */
} WeftChainDescriptor;

/* A chain of plugins on the runtime's device. In-process mode only. */
WEFT_EXPORT WeftError* weftChainCreate(WeftRuntime runtime, const WeftChainDescriptor* descriptor, WeftChain* chain) WEFT_NOEXCEPT;
WEFT_EXPORT void weftChainAddRef(WeftChain chain) WEFT_NOEXCEPT;
WEFT_EXPORT void weftChainRelease(WeftChain chain) WEFT_NOEXCEPT;

/* Sets a parameter, also while frames are under way: it counts from the next pushed frame on. Name, type and range are checked here. */
WEFT_EXPORT WeftError* weftChainSet(WeftChain chain, WeftStringView node, WeftStringView parameter, const WeftValue* value) WEFT_NOEXCEPT;

/* Gives a frame to the chain. CPU planes are copied before it returns. A texture is referenced until the frame has been pulled, must not
   be written meanwhile, and must hold its pixels by what was submitted before this call. When queueDepth frames are under way it
   waits for a pull. Frames may change size and format; the chain is then configured again. */
WEFT_EXPORT WeftError* weftChainPush(WeftChain chain, const WeftFrame* frame) WEFT_NOEXCEPT;

/* The next frame's result, in the order of the pushes. Waits until it is made; without a frame under way it is an invalid argument.
   Pull reads pixels back in the format asked for (Undefined = Rgba8Unorm), straight alpha where it has alpha; PullTexture gives the texture
   in the chain's work format, with all the work on it submitted, to use until the image is released. A failed frame's error comes from its
   pull. */
WEFT_EXPORT WeftError* weftChainPull(WeftChain chain, WeftPixelFormat format, WeftImage* image) WEFT_NOEXCEPT;
WEFT_EXPORT WeftError* weftChainPullTexture(WeftChain chain, WeftImage* image) WEFT_NOEXCEPT;

/* Size, format, pixels or texture of a pulled image. */
WEFT_EXPORT const WeftFrame* weftImageGetFrame(WeftImage image) WEFT_NOEXCEPT;
WEFT_EXPORT void weftImageAddRef(WeftImage image) WEFT_NOEXCEPT;
WEFT_EXPORT void weftImageRelease(WeftImage image) WEFT_NOEXCEPT;

/* ---- Exec: plain components ---------------------------------------------------------------------------------------------------------- */

typedef struct WeftExecDescriptor {
  const WeftChained* nextInChain;
  WeftStringView path;
  /* Non-zero: the component's standard input, output and error are the process's. Zero: they are closed. */
  WeftBool inheritOutput;
  size_t argumentCount;
  const WeftStringView* arguments; /* what wasi:cli/environment tells; the component's name is not added */
  /* What it gets beside these: "files=FOLDER[:AS]" to read, "write=FOLDER[:AS]" to read and write, "network", "env=NAME[=VALUE]". */
  size_t grantCount;
  const WeftStringView* grants;
} WeftExecDescriptor;

/* One instance of a component that need not know weft; it may import wasi:webgpu and WASI's clocks, random, stdio. It lives in your
   process also where the runtime is a supervised one. */
WEFT_EXPORT WeftError* weftExecCreate(WeftRuntime runtime, const WeftExecDescriptor* descriptor, WeftExec* exec) WEFT_NOEXCEPT;
/* Calls an export by name ("add", or "pkg:iface/name#add"). Arguments and result are WAVE text: 1, "text", {x: 1}, [1, 2], some(1).
   The result is empty when the function has none. */
WEFT_EXPORT WeftError* weftExecInvoke(WeftExec exec, WeftStringView name, size_t argumentCount, const WeftStringView* arguments,
                                      WeftString* result) WEFT_NOEXCEPT;
/* Runs a command (a component that exports wasi:cli/run); exitCode is what it ended with. */
WEFT_EXPORT WeftError* weftExecRun(WeftExec exec, uint32_t* exitCode) WEFT_NOEXCEPT;
WEFT_EXPORT void weftExecAddRef(WeftExec exec) WEFT_NOEXCEPT;
WEFT_EXPORT void weftExecRelease(WeftExec exec) WEFT_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* WEFT_WEFT_H_ */
