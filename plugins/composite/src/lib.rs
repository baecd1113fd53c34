// SPDX-License-Identifier: Apache-2.0
//! Puts a foreground over a background: Porter-Duff operators, blend modes, an optional mask.

use weft_plugin::webgpu::{GpuBuffer, GpuTexture};
use weft_plugin::{Bind, Description, Effect, Frame, Gpu, Parameter, Plan, Port, RenderPipeline, Values};

const FOREGROUND: usize = 0;
const BACKGROUND: usize = 1;
const MASK: usize = 2;

// Places in the description.
const MODE: usize = 0;
const OPERATOR: usize = 1;
const OPACITY: usize = 2;
const OFFSET: usize = 3;
const SCALE: usize = 4;
const MASK_CHANNEL: usize = 5;

// In the order of `blend` and `fractions` in composite.wgsl.
const MODES: [&str; 18] = [
    "normal", "multiply", "add", "subtract", "darken", "lighten", "difference", "screen", "overlay", "color-dodge", "color-burn",
    "hard-light", "soft-light", "exclusion", "hue", "saturation", "color", "luminosity",
];
const OPERATORS: [&str; 13] = [
    "source-over", "clear", "copy", "destination", "destination-over", "source-in", "destination-in", "source-out", "destination-out",
    "source-atop", "destination-atop", "xor", "lighter",
];

#[derive(Default)]
struct Composite {
    made: Option<Made>,
}

struct Made {
    pipeline: RenderPipeline,
    params: GpuBuffer,
    /// Bound where there is no mask.
    nothing: GpuTexture,
}

impl Effect for Composite {
    fn describe() -> Description {
        Description::new("org.weft.composite", "Composite", "1.0.0", "Puts a foreground over a background, in linear light.")
            .input(Port::texture("foreground").label("Foreground").linear().premultiplied())
            .input(Port::texture("background").label("Background").linear().premultiplied())
            .input(Port::texture("mask").label("Mask").optional())
            .output(Port::texture("output").label("Composite").linear().premultiplied().overwrites())
            .parameter(Parameter::choice("mode", &MODES).label("Blend mode"))
            .parameter(Parameter::choice("operator", &OPERATORS).label("Operator"))
            .parameter(Parameter::number("opacity", 1.0).label("Opacity").range(0.0, 1.0).step(0.01))
            .parameter(
                Parameter::vector("offset", [0.0; 4])
                    .label("Offset")
                    .description("Where the foreground's left upper corner lies, in pixels of the background."),
            )
            .parameter(Parameter::number("scale", 1.0).label("Scale").range(0.01, 100.0))
            .parameter(Parameter::choice("mask-channel", &["luma", "alpha"]).label("Mask channel"))
    }

    fn create(_gpu: &Gpu) -> Result<Self, String> {
        Ok(Self::default())
    }

    fn configure(&mut self, gpu: &Gpu, _values: &Values, plan: &mut Plan) -> Result<(), String> {
        let background = *plan.input(BACKGROUND).ok_or("The input 'background' is not connected.")?;
        let output = plan.output(0);
        *output = weft_plugin::FrameInfo { format: output.format, ..background };
        let shader = gpu.shader(include_str!("composite.wgsl"));
        self.made = Some(Made {
            pipeline: gpu.render_pipeline(&shader, "cover", "composite", output.format),
            params: gpu.uniform(32),
            nothing: gpu.texture(1, 1, output.format),
        });
        Ok(())
    }

    fn process(&mut self, gpu: &Gpu, values: &Values, frame: &Frame) -> Result<(), String> {
        let made = self.made.as_ref().ok_or("process was called before configure.")?;
        let input = |port: usize| frame.input(port as u32, 0);
        let (Some(foreground), Some(background), Some(output)) = (input(FOREGROUND), input(BACKGROUND), frame.output(0)) else {
            return Err("The foreground, the background or the output is missing.".into());
        };
        let mask = input(MASK);
        let offset = values.vector(OFFSET);
        let float = |number: f64| (number as f32).to_bits();
        gpu.write(
            &made.params,
            &[
                float(offset[0]),
                float(offset[1]),
                float(values.number(SCALE)),
                float(values.number(OPACITY)),
                values.choice(OPERATOR),
                values.choice(MODE),
                values.choice(MASK_CHANNEL),
                mask.is_some() as u32,
            ],
        )?;
        let binds = [
            Bind::Buffer(0, &made.params),
            Bind::Texture(1, foreground),
            Bind::Texture(2, background),
            Bind::Texture(3, mask.unwrap_or(&made.nothing)),
        ];
        frame.draw(&made.pipeline, output, &binds, 3);
        Ok(())
    }
}

weft_plugin::export!(Composite);
