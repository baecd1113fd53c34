// SPDX-License-Identifier: Apache-2.0
//! Builders for the description of a plugin. Labels are ids where none is given.

use crate::bindings::weft::plugin::types;
use types::{AlphaMode, ColorWant, Ends, GpuTextureFormat, ParameterLook, PortKind, Value};

pub struct Description(pub(crate) types::Description);

impl Description {
    pub fn new(id: &str, label: &str, version: &str, description: &str) -> Self {
        Self(types::Description {
            id: id.into(),
            label: label.into(),
            version: version.into(),
            description: description.into(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            parameters: Vec::new(),
            sequential: false,
        })
    }

    pub fn input(mut self, port: Port) -> Self {
        self.0.inputs.push(port.0);
        self
    }

    /// A texture output is one of the work formats.
    pub fn output(mut self, mut port: Port) -> Self {
        if let PortKind::Texture(formats) = &mut port.0.kind {
            *formats = vec![GpuTextureFormat::Rgba8unorm, GpuTextureFormat::Rgba16float, GpuTextureFormat::Rgba32float];
        }
        self.0.outputs.push(port.0);
        self
    }

    pub fn parameter(mut self, parameter: Parameter) -> Self {
        self.0.parameters.push(parameter.0);
        self
    }

    /// Frames must come in order.
    pub fn sequential(mut self) -> Self {
        self.0.sequential = true;
        self
    }
}

pub struct Port(types::Port);

impl Port {
    pub fn texture(id: &str) -> Self {
        Self::of(id, PortKind::Texture(Vec::new()))
    }

    pub fn data(id: &str, media_type: &str) -> Self {
        Self::of(id, PortKind::Data(media_type.into()))
    }

    fn of(id: &str, kind: PortKind) -> Self {
        Self(types::Port {
            id: id.into(),
            label: id.into(),
            kind,
            optional: false,
            color: ColorWant::AsIs,
            alpha: None,
            window: (0, 0),
            ends: Ends::Clamp,
            overwrites: false,
        })
    }

    pub fn label(mut self, label: &str) -> Self {
        self.0.label = label.into();
        self
    }

    pub fn optional(mut self) -> Self {
        self.0.optional = true;
        self
    }

    pub fn linear(mut self) -> Self {
        self.0.color = ColorWant::Linear;
        self
    }

    pub fn display(mut self) -> Self {
        self.0.color = ColorWant::Display;
        self
    }

    pub fn premultiplied(mut self) -> Self {
        self.0.alpha = Some(AlphaMode::Premultiplied);
        self
    }

    pub fn straight(mut self) -> Self {
        self.0.alpha = Some(AlphaMode::Straight);
        self
    }

    /// Inputs: the most frames ever wanted around the current one, `first <= 0 <= last`.
    pub fn window(mut self, first: i32, last: i32) -> Self {
        self.0.window = (first, last);
        self
    }

    /// Outputs: every pixel is written each time.
    pub fn overwrites(mut self) -> Self {
        self.0.overwrites = true;
        self
    }
}

pub struct Parameter(types::Parameter);

impl Parameter {
    pub fn number(id: &str, default: f64) -> Self {
        Self::of(id, Value::Number(default))
    }

    pub fn integer(id: &str, default: i64) -> Self {
        Self::of(id, Value::Integer(default))
    }

    pub fn boolean(id: &str, default: bool) -> Self {
        Self::of(id, Value::Boolean(default))
    }

    pub fn vector(id: &str, default: [f64; 4]) -> Self {
        Self::of(id, Value::Vector(default.into()))
    }

    /// The default is the first choice.
    pub fn choice(id: &str, choices: &[&str]) -> Self {
        let mut parameter = Self::of(id, Value::Choice(0));
        parameter.0.choices = choices.iter().map(|choice| choice.to_string()).collect();
        parameter
    }

    pub fn bytes(id: &str) -> Self {
        let mut parameter = Self::of(id, Value::Bytes(Vec::new()));
        parameter.0.look = ParameterLook::File;
        parameter.0.animatable = false;
        parameter
    }

    fn of(id: &str, default: Value) -> Self {
        Self(types::Parameter {
            id: id.into(),
            label: id.into(),
            description: String::new(),
            group: String::new(),
            look: ParameterLook::Plain,
            default,
            minimum: None,
            maximum: None,
            step: None,
            choices: Vec::new(),
            animatable: true,
            reconfigures: false,
        })
    }

    pub fn label(mut self, label: &str) -> Self {
        self.0.label = label.into();
        self
    }

    pub fn description(mut self, description: &str) -> Self {
        self.0.description = description.into();
        self
    }

    pub fn group(mut self, group: &str) -> Self {
        self.0.group = group.into();
        self
    }

    pub fn look(mut self, look: ParameterLook) -> Self {
        self.0.look = look;
        self
    }

    pub fn range(mut self, minimum: f64, maximum: f64) -> Self {
        self.0.minimum = Some(minimum);
        self.0.maximum = Some(maximum);
        self
    }

    pub fn step(mut self, step: f64) -> Self {
        self.0.step = Some(step);
        self
    }

    /// A change calls `configure` again.
    pub fn reconfigures(mut self) -> Self {
        self.0.reconfigures = true;
        self
    }
}
