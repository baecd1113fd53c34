// SPDX-License-Identifier: Apache-2.0
// The one file for what is not in webgpu.h: wgpu-native's own functions and constants, each with a fallback, so that another library
// can take its place. Nothing else in weft includes wgpu.h.
#pragma once

#include <webgpu.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::gpu {

class Library;

// Functions of wgpu.h, kept as untyped pointers so that this header needs no wgpu.h. All may be null.
struct NativeProcs {
  void* DevicePoll = nullptr;
  void* InstanceEnumerateAdapters = nullptr;
  void* CommandEncoderClearTexture = nullptr;
  void* DeviceCreateShaderModuleTrusted = nullptr;
  void* GetVersion = nullptr;
};

// Lets callbacks run and resources be freed, without waiting. True when nothing submitted is unfinished (a library that cannot tell
// answers false). Fallback: wgpuInstanceProcessEvents.
bool PollOnce(const Library& library, WGPUInstance instance, WGPUDevice device);

// All adapters that can be had; the caller releases each. Fallback: what wgpuInstanceRequestAdapter gives for its four kinds of request.
std::vector<WGPUAdapter> EnumerateAdapters(const Library& library, WGPUInstance instance);

// Requests an adapter and waits for the callback (libraries answer at once, or from ProcessEvents). Null when there is none.
WGPUAdapter RequestAdapter(const Library& library, WGPUInstance instance, const WGPURequestAdapterOptions& options);

// Clears a whole colour texture to zero by the library's own command; false where it has none.
bool ClearTexture(const Library& library, WGPUCommandEncoder encoder, WGPUTexture texture);

// For weft's own kernels only (never a guest's code): without bounds and loop checks where the library offers that, else as usual.
WGPUShaderModule CreateTrustedShaderModule(const Library& library, WGPUDevice device, const WGPUShaderModuleDescriptor& descriptor);

// Features of the library's own that weft asks for where the adapter has them.
std::vector<WGPUFeatureName> WantedNativeFeatures();

// What a feature is called: WebGPU's spelling ("shader-f16") or, for native ones, "native-…"; "feature-0x…" when unknown.
std::string FeatureName(WGPUFeatureName feature);

// Native twins of standard features: wgpu-native lists subgroups as 0x30021 and not as WGPUFeatureName_Subgroups. Answers the other
// spelling, or 0.
WGPUFeatureName NativeTwin(WGPUFeatureName feature);

// Native constants that other modules need.
inline constexpr WGPUFeatureName kFeatureNorm16 = static_cast<WGPUFeatureName>(0x0003000B);  // r16unorm, rg16unorm, rgba16unorm, snorm
inline constexpr WGPUFeatureName kFeatureAdapterFormats = static_cast<WGPUFeatureName>(0x00030002);  // a format's own abilities
inline constexpr WGPUFeatureName kFeatureClearTexture = static_cast<WGPUFeatureName>(0x00030016);
inline constexpr WGPUFeatureName kFeatureImmediates = static_cast<WGPUFeatureName>(0x00030001);

}  // namespace weft::gpu
