/* SPDX-License-Identifier: Apache-2.0 */
/* Blurs twice a picture that is half white, on weft's GPU device and on one that this program made: embed-c gaussian-blur.wasm */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <webgpu.h>
#include <weft/weft.h>

enum { kSide = 64, kRow = kSide * 4 };

static WeftStringView Str(const char* s) { return (WeftStringView){s, WEFT_STRLEN}; }
static void Check(WeftError* error) {
  if (!error) return;
  fprintf(stderr, "embed-c: %s\n", weftErrorGetText(error).data);
  exit(1);
}

/* One frame through a chain of one plugin; its pixels come back to `out`. */
static void Blur(WeftRuntime runtime, const char* plugin, const WeftFrame* frame, uint8_t* out) {
  WeftChainNode node = {.id = Str("blur"), .plugin = Str(plugin)};
  WeftChainDescriptor descriptor = {.nodeCount = 1, .nodes = &node};
  WeftChain chain = NULL;
  WeftImage image = NULL;
  WeftValue radius = {.kind = WeftValueKind_Number, .number = 8};
  Check(weftChainCreate(runtime, &descriptor, &chain));
  Check(weftChainSet(chain, Str("blur"), Str("radius"), &radius));
  Check(weftChainPush(chain, frame));
  Check(weftChainPull(chain, WeftPixelFormat_Rgba8Unorm, &image));
  const WeftPlane* plane = &weftImageGetFrame(image)->planes[0];
  for (int y = 0; y < kSide; ++y) memcpy(out + y * kRow, (const uint8_t*)plane->data + y * plane->stride, kRow);
  weftImageRelease(image);
  weftChainRelease(chain);
}

static void OnAdapter(WGPURequestAdapterStatus s, WGPUAdapter adapter, WGPUStringView m, void* out, void* u) {
  *(WGPUAdapter*)out = adapter;
}
static void OnDevice(WGPURequestDeviceStatus s, WGPUDevice device, WGPUStringView m, void* out, void* u) { *(WGPUDevice*)out = device; }

int main(int argc, char** argv) {
  if (argc != 2) return fprintf(stderr, "usage: embed-c PLUGIN\n"), 2;
  static uint8_t pixels[kSide * kRow], first[kSide * kRow], second[kSide * kRow];
  memset(pixels, 255, sizeof pixels / 2);

  /* On weft's own device, from and to CPU memory. */
  WeftRuntimeDescriptor descriptor = {.mode = WeftRuntimeMode_InProcess, .gpuLibrary = Str(WEBGPU_LIBRARY)};
  WeftRuntime runtime = NULL;
  Check(weftRuntimeCreate(&descriptor, &runtime));
  WeftFrame frame = {
      .width = kSide, .height = kSide, .format = WeftPixelFormat_Rgba8Unorm, .planes = {{.data = pixels}}, .alpha = WeftAlphaMode_Opaque};
  Blur(runtime, argv[1], &frame, first);
  weftRuntimeRelease(runtime);

  /* On this program's device, from its texture. */
  WeftExternalDevice gpu = {.chain = {.sType = WeftSType_ExternalDevice}, .library = Str(WEBGPU_LIBRARY), .poll = 1};
  gpu.instance = wgpuCreateInstance(NULL);
  const WGPUCallbackMode mode = WGPUCallbackMode_AllowSpontaneous;
  wgpuInstanceRequestAdapter(gpu.instance, NULL, (WGPURequestAdapterCallbackInfo){NULL, mode, OnAdapter, &gpu.adapter, NULL});
  if (!gpu.adapter) return fprintf(stderr, "embed-c: there is no GPU\n"), 1;
  wgpuAdapterRequestDevice(gpu.adapter, NULL, (WGPURequestDeviceCallbackInfo){NULL, mode, OnDevice, &gpu.device, NULL});
  gpu.queue = wgpuDeviceGetQueue(gpu.device);
  const WGPUExtent3D size = {kSide, kSide, 1};
  WGPUTextureDescriptor shape = {.dimension = WGPUTextureDimension_2D, .size = size, .format = WGPUTextureFormat_RGBA8Unorm};
  shape.usage = WGPUTextureUsage_TextureBinding | WGPUTextureUsage_CopySrc | WGPUTextureUsage_CopyDst;
  shape.mipLevelCount = shape.sampleCount = 1;
  WGPUTexture texture = wgpuDeviceCreateTexture(gpu.device, &shape);
  const WGPUTexelCopyBufferLayout layout = {.bytesPerRow = kRow, .rowsPerImage = kSide};
  wgpuQueueWriteTexture(gpu.queue, &(WGPUTexelCopyTextureInfo){.texture = texture}, pixels, sizeof pixels, &layout, &size);
  descriptor.nextInChain = &gpu.chain;
  Check(weftRuntimeCreate(&descriptor, &runtime));
  Blur(runtime, argv[1], &(WeftFrame){.texture = texture, .alpha = WeftAlphaMode_Opaque}, second);
  weftRuntimeRelease(runtime);

  printf("row %d is %d, with this program's device %d\n", kSide / 2, first[kSide / 2 * kRow], second[kSide / 2 * kRow]);
  return memcmp(first, second, sizeof first) == 0 && first[kSide / 2 * kRow] > 0 && first[kSide / 2 * kRow] < 255 ? 0 : 1;
}
