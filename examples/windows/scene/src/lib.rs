// SPDX-License-Identifier: Apache-2.0
//! A window with a small world: a textured cube that turns, stuck in a ground and in a wall, seen in perspective. What covers what is settled
//! pixel by pixel by a depth buffer: the cube is drawn first, and ground and wall, which it pierces, after it.

#[allow(warnings)]
mod bindings {
    include!(concat!(env!("WEFT_RUST_BINDINGS"), "/window.rs"));
}

use bindings::wasi::webgpu::webgpu::*;
use bindings::wasi_gfx::surface::surface::{CreateDesc, Surface};
use bindings::wasi_gfx::surface::surface_webgpu::{Context, ContextConfiguration};

const FORMAT: GpuTextureFormat = GpuTextureFormat::Bgra8unorm;
const DEPTH: GpuTextureFormat = GpuTextureFormat::Depth24plus;

/// A parallelogram: a corner, two edges, a tint.
type Quad = ([f32; 3], [f32; 3], [f32; 3], [f32; 3]);

fn cube(half: f32) -> Vec<Quad> {
    let mut quads = Vec::new();
    for axis in 0..3 {
        for side in [-half, half] {
            let (mut corner, mut u, mut v, mut tint) = ([-half; 3], [0.0; 3], [0.0; 3], [0.5; 3]);
            corner[axis] = side;
            u[(axis + 1) % 3] = 2.0 * half;
            v[(axis + 2) % 3] = 2.0 * half;
            tint[axis] = if side > 0.0 { 1.0 } else { 0.75 };
            quads.push((corner, u, v, tint));
        }
    }
    quads
}

const GROUND: Quad = ([-3.0, -0.45, 2.0], [6.0, 0.0, 0.0], [0.0, 0.0, -6.0], [0.5, 1.0, 0.5]);
const WALL: Quad = ([-2.0, -1.0, -0.2], [4.0, 0.0, 0.0], [0.0, 1.9, 0.0], [1.0, 1.0, 0.25]);

fn bytes(words: impl IntoIterator<Item = f32>) -> Vec<u8> {
    words.into_iter().flat_map(f32::to_le_bytes).collect()
}

struct World {
    device: GpuDevice,
    queue: GpuQueue,
    pipeline: GpuRenderPipeline,
    corners: GpuBuffer,
    indices: GpuBuffer,
    /// Of the cube, of what stands still.
    uniforms: [GpuBuffer; 2],
    groups: [GpuBindGroup; 2],
}

fn buffer(device: &GpuDevice, size: usize, usage: GpuBufferUsage) -> GpuBuffer {
    device.create_buffer(&GpuBufferDescriptor { size: size as u64, usage: usage | GpuBufferUsage::COPY_DST, mapped_at_creation: None, label: None })
}

fn texture(device: &GpuDevice, width: u32, height: u32, format: GpuTextureFormat, usage: GpuTextureUsage) -> GpuTexture {
    device.create_texture(&GpuTextureDescriptor {
        size: GpuExtent3D { width, height: Some(height), depth_or_array_layers: None },
        mip_level_count: None,
        sample_count: None,
        dimension: None,
        format,
        usage,
        view_formats: None,
        texture_binding_view_dimension: None,
        label: None,
    })
}

/// 8 x 8 texels, light and dark; the one at (0, 0) is black.
fn checks(device: &GpuDevice, queue: &GpuQueue) -> GpuTexture {
    let texture = texture(device, 8, 8, GpuTextureFormat::Rgba8unorm, GpuTextureUsage::TEXTURE_BINDING | GpuTextureUsage::COPY_DST);
    let texel = |i: u32| match (i % 8, i / 8) {
        (0, 0) => 0,
        (x, y) if (x + y) % 2 == 1 => 255,
        _ => 96,
    };
    let data: Vec<u8> = (0..64).flat_map(|i| [texel(i), texel(i), texel(i), 255]).collect();
    queue.write_texture_with_copy(
        &GpuTexelCopyTextureInfo { texture: &texture, mip_level: None, origin: None, aspect: None },
        &data,
        GpuTexelCopyBufferLayout { offset: None, bytes_per_row: Some(32), rows_per_image: None },
        GpuExtent3D { width: 8, height: Some(8), depth_or_array_layers: None },
    );
    texture
}

impl World {
    fn new(device: GpuDevice) -> World {
        let queue = device.queue();
        let mut quads = cube(0.7);
        quads.extend([GROUND, WALL]);
        let mut data = Vec::new();
        let mut order: Vec<u16> = Vec::new();
        for (i, (corner, u, v, tint)) in quads.iter().enumerate() {
            for (a, b) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
                data.extend((0..3).map(|k| corner[k] + a * u[k] + b * v[k]));
                data.extend([a, b]);
                data.extend(tint);
            }
            order.extend([0, 1, 2, 0, 2, 3].map(|k| k + 4 * i as u16));
        }
        let corners = buffer(&device, data.len() * 4, GpuBufferUsage::VERTEX);
        queue.write_buffer_with_copy(&corners, 0, &bytes(data), None, None).unwrap();
        let indices = buffer(&device, order.len() * 2, GpuBufferUsage::INDEX);
        let order: Vec<u8> = order.into_iter().flat_map(u16::to_le_bytes).collect();
        queue.write_buffer_with_copy(&indices, 0, &order, None, None).unwrap();

        let shader = device.create_shader_module(&GpuShaderModuleDescriptor { code: include_str!("scene.wgsl").into(), compilation_hints: None, label: None });
        let attribute = |format, offset, shader_location| GpuVertexAttribute { format, offset, shader_location };
        let pipeline = device.create_render_pipeline(GpuRenderPipelineDescriptor {
            vertex: GpuVertexState {
                buffers: Some(vec![Some(GpuVertexBufferLayout {
                    array_stride: 32,
                    step_mode: None,
                    attributes: vec![
                        attribute(GpuVertexFormat::Float32x3, 0, 0),
                        attribute(GpuVertexFormat::Float32x2, 12, 1),
                        attribute(GpuVertexFormat::Float32x3, 20, 2),
                    ],
                })]),
                module: &shader,
                entry_point: Some("place".into()),
                constants: None,
            },
            primitive: None,
            depth_stencil: Some(GpuDepthStencilState {
                format: DEPTH,
                depth_write_enabled: Some(true),
                depth_compare: Some(GpuCompareFunction::Less),
                stencil_front: None,
                stencil_back: None,
                stencil_read_mask: None,
                stencil_write_mask: None,
                depth_bias: None,
                depth_bias_slope_scale: None,
                depth_bias_clamp: None,
            }),
            multisample: None,
            fragment: Some(GpuFragmentState {
                targets: vec![Some(GpuColorTargetState { format: FORMAT, blend: None, write_mask: None })],
                module: &shader,
                entry_point: Some("paint".into()),
                constants: None,
            }),
            layout: GpuLayoutMode::Auto,
            label: Some("world".into()),
        });
        let view = checks(&device, &queue).create_view(None);
        let sampler = device.create_sampler(None);
        let layout = pipeline.get_bind_group_layout(0);
        let uniforms = [(); 2].map(|()| buffer(&device, 16, GpuBufferUsage::UNIFORM));
        let groups = [0, 1].map(|i: usize| {
            let entry = |binding, resource| GpuBindGroupEntry { binding, resource };
            device.create_bind_group(&GpuBindGroupDescriptor {
                layout: &layout,
                entries: vec![
                    entry(0, GpuBindingResource::GpuBuffer(&uniforms[i])),
                    entry(1, GpuBindingResource::GpuTextureView(&view)),
                    entry(2, GpuBindingResource::GpuSampler(&sampler)),
                ],
                label: None,
            })
        });
        World { device, queue, pipeline, corners, indices, uniforms, groups }
    }

    fn draw(&self, number: u32, picture: &GpuTexture) {
        let (width, height) = (picture.width(), picture.height());
        let angle = 0.5 + 0.4 * number as f32;
        let aspect = width as f32 / height as f32;
        for (uniform, [cos, sin]) in self.uniforms.iter().zip([[angle.cos(), angle.sin()], [1.0, 0.0]]) {
            self.queue.write_buffer_with_copy(uniform, 0, &bytes([cos, sin, aspect, 0.0]), None, None).unwrap();
        }
        let view = picture.create_view(None);
        let depth = texture(&self.device, width, height, DEPTH, GpuTextureUsage::RENDER_ATTACHMENT);
        let depth_view = depth.create_view(None);
        let encoder = self.device.create_command_encoder(None);
        let pass = encoder.begin_render_pass(&GpuRenderPassDescriptor {
            color_attachments: vec![Some(GpuRenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                clear_value: Some(GpuColor { r: 0.2, g: 0.4, b: 0.8, a: 1.0 }),
                load_op: GpuLoadOp::Clear,
                store_op: GpuStoreOp::Store,
            })],
            depth_stencil_attachment: Some(GpuRenderPassDepthStencilAttachment {
                view: &depth_view,
                depth_clear_value: Some(1.0),
                depth_load_op: Some(GpuLoadOp::Clear),
                depth_store_op: Some(GpuStoreOp::Discard),
                depth_read_only: None,
                stencil_clear_value: None,
                stencil_load_op: None,
                stencil_store_op: None,
                stencil_read_only: None,
            }),
            occlusion_query_set: None,
            timestamp_writes: None,
            max_draw_count: None,
            label: None,
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_vertex_buffer(0, Some(&self.corners), None, None);
        pass.set_index_buffer(&self.indices, GpuIndexFormat::Uint16, None, None);
        for (group, first, quads) in [(&self.groups[0], 0, 6), (&self.groups[1], 6, 2)] {
            pass.set_bind_group(0, Some(group), None, None, None).unwrap();
            pass.draw_indexed(quads * 6, None, Some(first * 6), None, None);
        }
        pass.end();
        self.queue.submit(&[&encoder.finish(None)]);
    }
}

struct Scene;

impl bindings::Guest for Scene {
    fn start() {
        wit_bindgen::block_on(async {
            let surface = Surface::new(CreateDesc { height: Some(120), width: Some(160) });
            let adapter = get_gpu().request_adapter(None).expect("an adapter");
            let device = adapter.request_device(None).expect("a device");
            let context = Context::new(&surface);
            context.configure(&ContextConfiguration {
                device: &device,
                format: FORMAT,
                usage: None,
                view_formats: None,
                color_space: None,
                tone_mapping: None,
                alpha_mode: None,
            });
            let world = World::new(device);
            let mut frames = surface.on_frame();
            let mut number = 0;
            while frames.next().await.is_some() {
                world.draw(number, &context.get_current_texture());
                context.present();
                number += 1;
            }
        });
    }
}

bindings::export_bindings!(Scene with_types_in bindings);
