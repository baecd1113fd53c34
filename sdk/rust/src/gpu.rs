// SPDX-License-Identifier: Apache-2.0
//! GPU objects: short ways to the common ones.

use crate::bindings::wasi::webgpu::webgpu::*;

/// The plugin's device and queue.
pub struct Gpu {
    pub device: GpuDevice,
    pub queue: GpuQueue,
}

/// A pipeline with the layout of its bind group 0, the one group that the kit uses.
pub struct ComputePipeline {
    pub pipeline: GpuComputePipeline,
    pub layout: GpuBindGroupLayout,
}

pub struct RenderPipeline {
    pub pipeline: GpuRenderPipeline,
    pub layout: GpuBindGroupLayout,
}

/// What a binding of group 0 is bound to.
pub enum Bind<'a> {
    Buffer(u32, &'a GpuBuffer),
    /// A view is made for it.
    Texture(u32, &'a GpuTexture),
    View(u32, &'a GpuTextureView),
    Sampler(u32, &'a GpuSampler),
}

/// The name that WGSL has for a work format: "rgba16float".
pub fn format_name(format: GpuTextureFormat) -> Option<&'static str> {
    match format {
        GpuTextureFormat::Rgba8unorm => Some("rgba8unorm"),
        GpuTextureFormat::Rgba16float => Some("rgba16float"),
        GpuTextureFormat::Rgba32float => Some("rgba32float"),
        _ => None,
    }
}

impl Gpu {
    pub fn shader(&self, wgsl: &str) -> GpuShaderModule {
        self.device.create_shader_module(&GpuShaderModuleDescriptor { code: wgsl.into(), compilation_hints: None, label: None })
    }

    pub fn compute_pipeline(&self, shader: &GpuShaderModule, entry: &str) -> ComputePipeline {
        let pipeline = self.device.create_compute_pipeline(GpuComputePipelineDescriptor {
            compute: GpuProgrammableStage { module: shader, entry_point: Some(entry.into()), constants: None },
            layout: GpuLayoutMode::Auto,
            label: Some(entry.into()),
        });
        let layout = pipeline.get_bind_group_layout(0);
        ComputePipeline { pipeline, layout }
    }

    /// Triangles without vertex buffers, one colour target, no blending.
    pub fn render_pipeline(&self, shader: &GpuShaderModule, vertex: &str, fragment: &str, target: GpuTextureFormat) -> RenderPipeline {
        let pipeline = self.device.create_render_pipeline(GpuRenderPipelineDescriptor {
            vertex: GpuVertexState { buffers: None, module: shader, entry_point: Some(vertex.into()), constants: None },
            primitive: None,
            depth_stencil: None,
            multisample: None,
            fragment: Some(GpuFragmentState {
                targets: vec![Some(GpuColorTargetState { format: target, blend: None, write_mask: None })],
                module: shader,
                entry_point: Some(fragment.into()),
                constants: None,
            }),
            layout: GpuLayoutMode::Auto,
            label: Some(fragment.into()),
        });
        let layout = pipeline.get_bind_group_layout(0);
        RenderPipeline { pipeline, layout }
    }

    /// Rounded up to 16 bytes.
    pub fn uniform(&self, size: usize) -> GpuBuffer {
        self.buffer(size.next_multiple_of(16) as u64, GpuBufferUsage::UNIFORM | GpuBufferUsage::COPY_DST)
    }

    pub fn storage(&self, size: u64) -> GpuBuffer {
        self.buffer(size.next_multiple_of(4), GpuBufferUsage::STORAGE | GpuBufferUsage::COPY_DST | GpuBufferUsage::COPY_SRC)
    }

    fn buffer(&self, size: u64, usage: GpuBufferUsage) -> GpuBuffer {
        self.device.create_buffer(&GpuBufferDescriptor { size, usage, mapped_at_creation: None, label: None })
    }

    /// Words into a buffer, before the work that this frame records. Floats go in as `to_bits()`.
    pub fn write(&self, buffer: &GpuBuffer, words: &[u32]) -> Result<(), String> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.queue.write_buffer_with_copy(buffer, 0, &bytes, None, None).map_err(|error| error.message)
    }

    /// A texture of the plugin's own, for passes between input and output.
    pub fn texture(&self, width: u32, height: u32, format: GpuTextureFormat) -> GpuTexture {
        self.device.create_texture(&GpuTextureDescriptor {
            size: GpuExtent3D { width, height: Some(height), depth_or_array_layers: None },
            mip_level_count: None,
            sample_count: None,
            dimension: None,
            format,
            usage: GpuTextureUsage::TEXTURE_BINDING
                | GpuTextureUsage::STORAGE_BINDING
                | GpuTextureUsage::RENDER_ATTACHMENT
                | GpuTextureUsage::COPY_SRC
                | GpuTextureUsage::COPY_DST,
            view_formats: None,
            texture_binding_view_dimension: None,
            label: None,
        })
    }

    /// Group 0 of a pipeline, with the views that were made for it.
    pub(crate) fn bind_group(&self, layout: &GpuBindGroupLayout, binds: &[Bind]) -> (GpuBindGroup, Vec<GpuTextureView>) {
        let views: Vec<GpuTextureView> = binds
            .iter()
            .filter_map(|bind| if let Bind::Texture(_, texture) = bind { Some(texture.create_view(None)) } else { None })
            .collect();
        let mut made = views.iter();
        let entries = binds
            .iter()
            .map(|bind| match bind {
                Bind::Buffer(binding, buffer) => (*binding, GpuBindingResource::GpuBuffer(buffer)),
                Bind::Texture(binding, _) => (*binding, GpuBindingResource::GpuTextureView(made.next().expect("one view a texture"))),
                Bind::View(binding, view) => (*binding, GpuBindingResource::GpuTextureView(view)),
                Bind::Sampler(binding, sampler) => (*binding, GpuBindingResource::GpuSampler(sampler)),
            })
            .map(|(binding, resource)| GpuBindGroupEntry { binding, resource })
            .collect();
        let group = self.device.create_bind_group(&GpuBindGroupDescriptor { layout, entries, label: None });
        (group, views)
    }
}
