// SPDX-License-Identifier: Apache-2.0
#include "gpu/native.h"

#include <wgpu.h>

#include <algorithm>
#include <array>

#include "base/fail.h"
#include "gpu/library.h"

namespace weft::gpu {
namespace {

struct AdapterAnswer {
  WGPUAdapter adapter = nullptr;
  bool done = false;
};

void OnAdapter(WGPURequestAdapterStatus status, WGPUAdapter adapter, WGPUStringView, void* user, void*) {
  auto* answer = static_cast<AdapterAnswer*>(user);
  if (status == WGPURequestAdapterStatus_Success) answer->adapter = adapter;
  answer->done = true;
}

static_assert(static_cast<int>(kFeatureNorm16) == WGPUNativeFeature_TextureFormat16bitNorm);
static_assert(static_cast<int>(kFeatureAdapterFormats) == WGPUNativeFeature_TextureAdapterSpecificFormatFeatures);
static_assert(static_cast<int>(kFeatureClearTexture) == WGPUNativeFeature_ClearTexture);
static_assert(static_cast<int>(kFeatureImmediates) == WGPUNativeFeature_Immediates);

}  // namespace

bool PollOnce(const Library& library, WGPUInstance instance, WGPUDevice device) {
  if (void* poll = library.native().DevicePoll) {
    // wgpu-native answers with a Rust bool: only the lowest byte of the WGPUBool that the header promises is set.
    return reinterpret_cast<uint8_t (*)(WGPUDevice, WGPUBool, const WGPUSubmissionIndex*)>(poll)(device, WGPU_FALSE, nullptr) != 0;
  }
  if (instance) library.procs().InstanceProcessEvents(instance);
  return false;
}

WGPUAdapter RequestAdapter(const Library& library, WGPUInstance instance, const WGPURequestAdapterOptions& options) {
  AdapterAnswer answer;
  WGPURequestAdapterCallbackInfo info = WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT;
  info.mode = WGPUCallbackMode_AllowProcessEvents;
  info.callback = OnAdapter;
  info.userdata1 = &answer;
  library.procs().InstanceRequestAdapter(instance, &options, info);
  while (!answer.done) library.procs().InstanceProcessEvents(instance);
  return answer.adapter;
}

std::vector<WGPUAdapter> EnumerateAdapters(const Library& library, WGPUInstance instance) {
  std::vector<WGPUAdapter> out;
  if (void* enumerate = library.native().InstanceEnumerateAdapters) {
    auto* call = reinterpret_cast<size_t (*)(WGPUInstance, const WGPUInstanceEnumerateAdapterOptions*, WGPUAdapter*)>(enumerate);
    out.resize(call(instance, nullptr, nullptr));
    if (!out.empty()) out.resize(std::min(out.size(), call(instance, nullptr, out.data())));
    return out;
  }
  std::array<WGPURequestAdapterOptions, 3> requests;
  requests.fill(WGPU_REQUEST_ADAPTER_OPTIONS_INIT);
  requests[0].powerPreference = WGPUPowerPreference_HighPerformance;
  requests[1].powerPreference = WGPUPowerPreference_LowPower;
  requests[2].forceFallbackAdapter = WGPU_TRUE;
  for (const auto& request : requests) {
    if (WGPUAdapter adapter = RequestAdapter(library, instance, request)) out.push_back(adapter);
  }
  return out;
}

bool ClearTexture(const Library& library, WGPUCommandEncoder encoder, WGPUTexture texture) {
  void* clear = library.native().CommandEncoderClearTexture;
  if (!clear) return false;
  const WGPUImageSubresourceRange range{WGPUTextureAspect_All, 0, 1, 0, 1};
  reinterpret_cast<void (*)(WGPUCommandEncoder, WGPUTexture, const WGPUImageSubresourceRange*)>(clear)(encoder, texture, &range);
  return true;
}

WGPUShaderModule CreateTrustedShaderModule(const Library& library, WGPUDevice device, const WGPUShaderModuleDescriptor& descriptor) {
  if (void* create = library.native().DeviceCreateShaderModuleTrusted) {
    return reinterpret_cast<WGPUShaderModule (*)(WGPUDevice, const WGPUShaderModuleDescriptor*, WGPUShaderRuntimeChecks)>(create)(
        device, &descriptor, WGPUShaderRuntimeChecks_BoundsChecks);
  }
  return library.procs().DeviceCreateShaderModule(device, &descriptor);
}

std::vector<WGPUFeatureName> WantedNativeFeatures() {
  std::vector<WGPUFeatureName> out;
  for (const WGPUNativeFeature f :
       {WGPUNativeFeature_TextureAdapterSpecificFormatFeatures, WGPUNativeFeature_TextureFormat16bitNorm, WGPUNativeFeature_ClearTexture,
        WGPUNativeFeature_Immediates, WGPUNativeFeature_Subgroup, WGPUNativeFeature_SubgroupBarrier, WGPUNativeFeature_ShaderInt64,
        WGPUNativeFeature_ShaderI16, WGPUNativeFeature_TimestampQueryInsideEncoders}) {
    out.push_back(static_cast<WGPUFeatureName>(f));
  }
  return out;
}

WGPUFeatureName NativeTwin(WGPUFeatureName feature) {
  const auto native_subgroup = static_cast<WGPUFeatureName>(WGPUNativeFeature_Subgroup);
  if (feature == WGPUFeatureName_Subgroups) return native_subgroup;
  if (feature == native_subgroup) return WGPUFeatureName_Subgroups;
  return static_cast<WGPUFeatureName>(0);
}

std::string FeatureName(WGPUFeatureName feature) {
  switch (static_cast<int>(feature)) {
    case WGPUFeatureName_CoreFeaturesAndLimits: return "core-features-and-limits";
    case WGPUFeatureName_DepthClipControl: return "depth-clip-control";
    case WGPUFeatureName_Depth32FloatStencil8: return "depth32float-stencil8";
    case WGPUFeatureName_TextureCompressionBC: return "texture-compression-bc";
    case WGPUFeatureName_TextureCompressionBCSliced3D: return "texture-compression-bc-sliced-3d";
    case WGPUFeatureName_TextureCompressionETC2: return "texture-compression-etc2";
    case WGPUFeatureName_TextureCompressionASTC: return "texture-compression-astc";
    case WGPUFeatureName_TextureCompressionASTCSliced3D: return "texture-compression-astc-sliced-3d";
    case WGPUFeatureName_TimestampQuery: return "timestamp-query";
    case WGPUFeatureName_IndirectFirstInstance: return "indirect-first-instance";
    case WGPUFeatureName_ShaderF16: return "shader-f16";
    case WGPUFeatureName_RG11B10UfloatRenderable: return "rg11b10ufloat-renderable";
    case WGPUFeatureName_BGRA8UnormStorage: return "bgra8unorm-storage";
    case WGPUFeatureName_Float32Filterable: return "float32-filterable";
    case WGPUFeatureName_Float32Blendable: return "float32-blendable";
    case WGPUFeatureName_ClipDistances: return "clip-distances";
    case WGPUFeatureName_DualSourceBlending: return "dual-source-blending";
    case WGPUFeatureName_Subgroups: return "subgroups";
    case WGPUFeatureName_TextureFormatsTier1: return "texture-formats-tier1";
    case WGPUFeatureName_TextureFormatsTier2: return "texture-formats-tier2";
    case WGPUFeatureName_PrimitiveIndex: return "primitive-index";
    case WGPUFeatureName_TextureComponentSwizzle: return "texture-component-swizzle";
    case WGPUNativeFeature_Immediates: return "native-immediates";
    case WGPUNativeFeature_TextureAdapterSpecificFormatFeatures: return "native-texture-adapter-specific-format-features";
    case WGPUNativeFeature_TextureFormat16bitNorm: return "native-texture-format-16bit-norm";
    case WGPUNativeFeature_ClearTexture: return "native-clear-texture";
    case WGPUNativeFeature_Subgroup: return "native-subgroup";
    case WGPUNativeFeature_SubgroupBarrier: return "native-subgroup-barrier";
    case WGPUNativeFeature_ShaderInt64: return "native-shader-int64";
    case WGPUNativeFeature_ShaderI16: return "native-shader-i16";
    case WGPUNativeFeature_TimestampQueryInsideEncoders: return "native-timestamp-query-inside-encoders";
    default: return fmt::format("feature-{:#x}", static_cast<unsigned>(feature));
  }
}

}  // namespace weft::gpu
