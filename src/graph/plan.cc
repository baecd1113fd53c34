// SPDX-License-Identifier: Apache-2.0
#include "graph/plan.h"

#include <algorithm>

#include "base/fail.h"

namespace weft::graph {
namespace {

constexpr uint8_t kLinear = 8, kSrgb = 13;  // H.273 transfer characteristics

}  // namespace

std::string DescribeInfo(const PortInfo& info) {
  if (auto* picture = std::get_if<media::FrameInfo>(&info)) return media::Describe(*picture);
  if (auto* t = std::get_if<TextureInfo>(&info)) {
    std::string text = fmt::format("{}x{} {}", t->width, t->height, t->format);
    if (t->color.transfer == kLinear) text += " linear";
    if (t->alpha == media::AlphaMode::Straight) text += " straight alpha";
    if (t->alpha == media::AlphaMode::Premultiplied) text += " premultiplied";
    return text;
  }
  if (auto* buffer = std::get_if<BufferInfo>(&info)) return fmt::format("buffer of {} bytes", buffer->size);
  if (std::holds_alternative<DataInfo>(info)) return "data";
  return "nothing";
}

Result<TextureInfo> WantedTexture(const PortSpec& port, const PortInfo& offered, const Project& project) {
  TextureInfo want;
  if (auto* picture = std::get_if<media::FrameInfo>(&offered)) {
    want.width = static_cast<uint32_t>(picture->width);
    want.height = static_cast<uint32_t>(picture->height);
    want.format = project.frame.format;
    want.color = picture->color;
    want.alpha = picture->alpha;
    want.pixel_aspect = picture->pixel_aspect;
    want.origin = picture->format;
  } else if (auto* texture = std::get_if<TextureInfo>(&offered)) {
    want = *texture;
  } else {
    return Fail(ErrorKind::InvalidArgument, "input '{}' takes a picture, but {} is connected to it", port.id, DescribeInfo(offered));
  }
  want.color.matrix = 0;
  want.color.full_range = true;
  if (!port.formats.empty() && std::ranges::find(port.formats, want.format) == port.formats.end()) {
    const bool work = std::ranges::find(port.formats, project.frame.format) != port.formats.end();
    want.format = work ? project.frame.format : port.formats.front();
  }
  if (port.color == ColorWant::Linear) want.color.transfer = kLinear;
  if (port.color == ColorWant::Display && want.color.transfer == kLinear) {
    want.color.transfer = project.frame.color.transfer == kLinear ? kSrgb : project.frame.color.transfer;
  }
  // What is converted anyway is converted to the work format: linear light in 8 bits of a caller's texture would show bands.
  if (auto* texture = std::get_if<TextureInfo>(&offered); texture && want.color.transfer != texture->color.transfer) {
    const bool takes = port.formats.empty() || std::ranges::find(port.formats, project.frame.format) != port.formats.end();
    if (takes && !project.frame.format.empty()) want.format = project.frame.format;
  }
  if (port.alpha && (want.alpha != media::AlphaMode::Opaque)) want.alpha = *port.alpha;
  return want;
}

bool NeedsConversion(const PortInfo& offered, const PortInfo& wanted) {
  auto *a = std::get_if<TextureInfo>(&offered), *b = std::get_if<TextureInfo>(&wanted);
  if (!a || !b) return offered != wanted;
  const bool same_alpha = a->alpha == b->alpha || a->alpha == media::AlphaMode::Opaque;
  return a->width != b->width || a->height != b->height || a->format != b->format || a->color != b->color || !same_alpha;
}

}  // namespace weft::graph
