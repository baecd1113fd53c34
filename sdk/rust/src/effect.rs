// SPDX-License-Identifier: Apache-2.0
//! The world's exports, made from an [`Effect`].

use crate::bindings::exports::weft::plugin::effect as exported;
use crate::bindings::wasi::webgpu::webgpu::*;
use crate::bindings::weft::plugin::types;
use crate::describe::Description;
use crate::gpu::{Bind, ComputePipeline, Gpu, RenderPipeline, format_name};
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;
use types::{FrameInfo, FrameTime, Item, PortInfo, Value};

/// What a plugin is. One call at a time for an instance.
pub trait Effect: Sized + 'static {
    fn describe() -> Description;

    fn create(gpu: &Gpu) -> Result<Self, String>;

    /// Called before the first frame and when pictures or a value that `reconfigures` change.
    fn configure(&mut self, gpu: &Gpu, values: &Values, plan: &mut Plan) -> Result<(), String>;

    fn process(&mut self, gpu: &Gpu, values: &Values, frame: &Frame) -> Result<(), String>;

    /// For sequential plugins: the state to start again from.
    fn save(&mut self, _gpu: &Gpu) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }

    fn restore(&mut self, _gpu: &Gpu, _state: &[u8]) -> Result<(), String> {
        Ok(())
    }
}

/// Values of the parameters, by their place in the description. Asking for another type than described panics.
pub struct Values(Vec<Value>);

impl Values {
    pub fn number(&self, parameter: usize) -> f64 {
        match &self.0[parameter] {
            Value::Number(number) => *number,
            Value::Integer(integer) => *integer as f64,
            _ => panic!("parameter {parameter} is no number"),
        }
    }

    pub fn integer(&self, parameter: usize) -> i64 {
        match &self.0[parameter] {
            Value::Integer(integer) => *integer,
            _ => panic!("parameter {parameter} is no integer"),
        }
    }

    pub fn boolean(&self, parameter: usize) -> bool {
        match &self.0[parameter] {
            Value::Boolean(boolean) => *boolean,
            _ => panic!("parameter {parameter} is no boolean"),
        }
    }

    pub fn choice(&self, parameter: usize) -> u32 {
        match &self.0[parameter] {
            Value::Choice(choice) => *choice,
            _ => panic!("parameter {parameter} is no choice"),
        }
    }

    pub fn vector(&self, parameter: usize) -> [f64; 4] {
        match &self.0[parameter] {
            Value::Vector(vector) => (*vector).into(),
            _ => panic!("parameter {parameter} is no vector"),
        }
    }

    pub fn bytes(&self, parameter: usize) -> &[u8] {
        match &self.0[parameter] {
            Value::Bytes(bytes) => bytes,
            Value::Text(text) => text.as_bytes(),
            _ => panic!("parameter {parameter} holds no bytes"),
        }
    }
}

/// What is connected, and the answer. Outputs are filled in: like the first connected texture input, else like the project, in
/// its format where that is a work format, else rgba16float.
pub struct Plan {
    pub project: FrameInfo,
    pub inputs: Vec<PortInfo>,
    pub outputs: Vec<PortInfo>,
    pub windows: Vec<(i32, i32)>,
    /// (output, input): with today's values the output is the input.
    pub pass_through: Vec<(u32, u32)>,
}

impl Plan {
    pub fn input(&self, port: usize) -> Option<&FrameInfo> {
        match &self.inputs[port] {
            PortInfo::Texture(info) => Some(info),
            _ => None,
        }
    }

    /// The texture that an output is going to be; panics where it is none.
    pub fn output(&mut self, port: usize) -> &mut FrameInfo {
        match &mut self.outputs[port] {
            PortInfo::Texture(info) => info,
            _ => panic!("output {port} is no texture"),
        }
    }
}

/// One call of `process`: the frame's time and textures, and what was recorded.
pub struct Frame<'a> {
    pub time: FrameTime,
    gpu: &'a Gpu,
    inputs: Vec<types::Input>,
    outputs: Vec<types::Output>,
    encoder: RefCell<Option<GpuCommandEncoder>>,
    data: RefCell<Vec<types::DataOutput>>,
    groups: Cell<Vec<(GpuBindGroup, Vec<GpuTextureView>)>>,
}

impl Frame<'_> {
    /// None where the input is not connected or has no such frame.
    pub fn input(&self, port: u32, offset: i32) -> Option<&GpuTexture> {
        self.inputs.iter().find(|input| input.port == port && input.offset == offset).and_then(|input| match &input.item {
            Item::Texture(texture) => Some(texture),
            _ => None,
        })
    }

    /// None where nobody takes the output.
    pub fn output(&self, port: u32) -> Option<&GpuTexture> {
        self.outputs.iter().find(|output| output.port == port).and_then(|output| match &output.item {
            Item::Texture(texture) => Some(texture),
            _ => None,
        })
    }

    pub fn output_data(&self, port: u32, bytes: Vec<u8>) {
        self.data.borrow_mut().push(types::DataOutput { port, bytes });
    }

    /// The frame's encoder, for what the calls below cannot do.
    pub fn encode<R>(&self, record: impl FnOnce(&GpuCommandEncoder) -> R) -> R {
        let mut encoder = self.encoder.borrow_mut();
        record(encoder.get_or_insert_with(|| self.gpu.device.create_command_encoder(None)))
    }

    /// Runs a compute pipeline with `binds` as its bind group 0.
    pub fn compute(&self, pipeline: &ComputePipeline, binds: &[Bind], groups: (u32, u32, u32)) {
        let bound = self.gpu.bind_group(&pipeline.layout, binds);
        self.encode(|encoder| {
            let pass = encoder.begin_compute_pass(None);
            pass.set_pipeline(&pipeline.pipeline);
            // An error here would be a range of dynamic offsets, and there are none.
            let _ = pass.set_bind_group(0, Some(&bound.0), None, None, None);
            pass.dispatch_workgroups(groups.0, Some(groups.1), Some(groups.2));
            pass.end();
        });
        self.keep(bound);
    }

    /// Draws `vertices` vertices into the whole of `target`, which is cleared to transparent black before.
    pub fn draw(&self, pipeline: &RenderPipeline, target: &GpuTexture, binds: &[Bind], vertices: u32) {
        let bound = self.gpu.bind_group(&pipeline.layout, binds);
        let view = target.create_view(None);
        self.encode(|encoder| {
            let pass = encoder.begin_render_pass(&GpuRenderPassDescriptor {
                color_attachments: vec![Some(GpuRenderPassColorAttachment {
                    view: &view,
                    depth_slice: None,
                    resolve_target: None,
                    clear_value: Some(GpuColor { r: 0.0, g: 0.0, b: 0.0, a: 0.0 }),
                    load_op: GpuLoadOp::Clear,
                    store_op: GpuStoreOp::Store,
                })],
                depth_stencil_attachment: None,
                occlusion_query_set: None,
                timestamp_writes: None,
                max_draw_count: None,
                label: None,
            });
            pass.set_pipeline(&pipeline.pipeline);
            let _ = pass.set_bind_group(0, Some(&bound.0), None, None, None);
            pass.draw(vertices, None, None, None);
            pass.end();
        });
        self.keep(bound);
    }

    fn keep(&self, bound: (GpuBindGroup, Vec<GpuTextureView>)) {
        let mut groups = self.groups.take();
        groups.push(bound);
        self.groups.set(groups);
    }

    fn submit(&self) {
        if let Some(encoder) = self.encoder.borrow_mut().take() {
            self.gpu.queue.submit(&[&encoder.finish(None)]);
        }
    }
}

// ---- Exports ---------------------------------------------------------------------------------------------------------------------

pub struct Exported<E>(PhantomData<E>);

pub struct Instance<E> {
    inside: RefCell<Inside<E>>,
}

struct Inside<E> {
    effect: E,
    values: Values,
    gpu: Gpu,
}

impl<E: Effect> exported::Guest for Exported<E> {
    type Instance = Instance<E>;

    fn describe() -> types::Description {
        E::describe().0
    }
}

impl<E: Effect> exported::GuestInstance for Instance<E> {
    fn create(device: GpuDevice) -> Result<exported::Instance, String> {
        let queue = device.queue();
        let gpu = Gpu { device, queue };
        let values = Values(E::describe().0.parameters.into_iter().map(|parameter| parameter.default).collect());
        let effect = E::create(&gpu)?;
        Ok(exported::Instance::new(Instance { inside: RefCell::new(Inside { effect, values, gpu }) }))
    }

    fn set(&self, values: Vec<(u32, Value)>) -> Result<(), String> {
        let mut inside = self.inside.borrow_mut();
        for (parameter, value) in values {
            let count = inside.values.0.len();
            let old = inside
                .values
                .0
                .get_mut(parameter as usize)
                .ok_or_else(|| format!("There is no parameter number {parameter}: the plugin has {count}."))?;
            if std::mem::discriminant(old) != std::mem::discriminant(&value) {
                return Err(format!("The value for parameter number {parameter} is of another type."));
            }
            *old = value;
        }
        Ok(())
    }

    fn configure(&self, project: types::Project, inputs: Vec<PortInfo>) -> Result<types::Plan, String> {
        let mut inside = self.inside.borrow_mut();
        let Inside { effect, values, gpu } = &mut *inside;
        let description = E::describe().0;
        let mut guess = project.frame;
        if let Some(info) = inputs.iter().find_map(|input| if let PortInfo::Texture(info) = input { Some(*info) } else { None }) {
            guess = info;
        }
        if format_name(guess.format).is_none() {
            guess.format = GpuTextureFormat::Rgba16float;
        }
        let outputs = description
            .outputs
            .iter()
            .map(|port| match port.kind {
                types::PortKind::Texture(_) => PortInfo::Texture(guess),
                types::PortKind::Data(_) => PortInfo::Data,
                types::PortKind::Buffer => PortInfo::Absent,
            })
            .collect();
        let windows = vec![(0, 0); description.inputs.len()];
        let mut plan = Plan { project: project.frame, inputs, outputs, windows, pass_through: Vec::new() };
        effect.configure(gpu, values, &mut plan)?;
        Ok(types::Plan {
            inputs: plan.windows.into_iter().map(|window| types::InputPlan { window }).collect(),
            outputs: plan.outputs,
            pass_through: plan.pass_through,
        })
    }

    fn process(&self, time: FrameTime, inputs: Vec<types::Input>, outputs: Vec<types::Output>) -> Result<types::FrameResult, String> {
        let mut inside = self.inside.borrow_mut();
        let Inside { effect, values, gpu } = &mut *inside;
        let frame = Frame {
            time,
            gpu,
            inputs,
            outputs,
            encoder: RefCell::new(None),
            data: RefCell::new(Vec::new()),
            groups: Cell::new(Vec::new()),
        };
        effect.process(gpu, values, &frame)?;
        frame.submit();
        Ok(types::FrameResult { data: frame.data.take(), metadata: None })
    }

    fn save(&self) -> Result<Vec<u8>, String> {
        let mut inside = self.inside.borrow_mut();
        let Inside { effect, gpu, .. } = &mut *inside;
        effect.save(gpu)
    }

    fn restore(&self, state: Vec<u8>) -> Result<(), String> {
        let mut inside = self.inside.borrow_mut();
        let Inside { effect, gpu, .. } = &mut *inside;
        effect.restore(gpu, &state)
    }
}
