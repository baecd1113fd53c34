// SPDX-License-Identifier: Apache-2.0
// The world's exports, made from weft_plugin_main. What the host hands in is owned here: values are kept, the rest is freed.
#include <stdlib.h>
#include <string.h>

#include "kit.h"

#define MAIN (&weft_plugin_main)

struct exports_weft_plugin_effect_instance_t {
  weft_context context;
};

// What is returned is freed by the bindings after the call, so texts are copied.
static plugin_string_t Copy(const char* text) {
  plugin_string_t string;
  plugin_string_dup(&string, text ? text : "");
  return string;
}

// ---- describe -------------------------------------------------------------------------------------------------------------------

static const weft_format kWorkFormats[] = {WEFT_RGBA8UNORM, WEFT_RGBA16FLOAT, WEFT_RGBA32FLOAT};

static weft_plugin_types_port_t DescribePort(const weft_port* port, bool output) {
  weft_plugin_types_port_t described = {
      .id = Copy(port->id),
      .label = Copy(port->label ? port->label : port->id),
      .optional = port->optional,
      .color = (weft_plugin_types_color_want_t)port->color,
      .window = {port->first, port->last},
      .ends = (weft_plugin_types_ends_t)port->ends,
      .overwrites = port->overwrites,
  };
  if (port->alpha != WEFT_ANY_ALPHA) {
    described.alpha.is_some = true;
    described.alpha.val = (weft_plugin_types_alpha_mode_t)(port->alpha - 1);
  }
  described.kind.tag = (uint8_t)port->type;
  if (port->type == WEFT_DATA) {
    described.kind.val.data = Copy(port->media_type);
  } else if (port->type == WEFT_TEXTURE && output) {
    described.kind.val.texture.ptr = kit_allocate(sizeof kWorkFormats);
    memcpy(described.kind.val.texture.ptr, kWorkFormats, sizeof kWorkFormats);
    described.kind.val.texture.len = WEFT_COUNT(kWorkFormats);
  }
  return described;
}

static weft_plugin_types_list_port_t DescribePorts(const weft_port* ports, size_t count, bool output) {
  weft_plugin_types_list_port_t list = {kit_allocate(count * sizeof(weft_plugin_types_port_t)), count};
  for (size_t i = 0; i < count; ++i) list.ptr[i] = DescribePort(&ports[i], output);
  return list;
}

static weft_plugin_types_value_t DefaultOf(const weft_parameter* parameter) {
  const double* value = parameter->value;
  weft_plugin_types_value_t made = {0};
  switch (parameter->type) {
    case WEFT_NUMBER:
      made.tag = WEFT_PLUGIN_TYPES_VALUE_NUMBER;
      made.val.number = value[0];
      break;
    case WEFT_INTEGER:
      made.tag = WEFT_PLUGIN_TYPES_VALUE_INTEGER;
      made.val.integer = (int64_t)value[0];
      break;
    case WEFT_BOOLEAN:
      made.tag = WEFT_PLUGIN_TYPES_VALUE_BOOLEAN;
      made.val.boolean = value[0] != 0;
      break;
    case WEFT_CHOICE:
      made.tag = WEFT_PLUGIN_TYPES_VALUE_CHOICE;
      made.val.choice = (uint32_t)value[0];
      break;
    case WEFT_VECTOR:
      made.tag = WEFT_PLUGIN_TYPES_VALUE_VECTOR;
      made.val.vector = (plugin_tuple4_f64_f64_f64_f64_t){value[0], value[1], value[2], value[3]};
      break;
    case WEFT_TEXT:
      made.tag = WEFT_PLUGIN_TYPES_VALUE_TEXT;
      made.val.text = Copy(parameter->text);
      break;
    case WEFT_BYTES: made.tag = WEFT_PLUGIN_TYPES_VALUE_BYTES; break;
  }
  return made;
}

static weft_plugin_types_parameter_t DescribeParameter(const weft_parameter* parameter) {
  weft_plugin_types_parameter_t described = {
      .id = Copy(parameter->id),
      .label = Copy(parameter->label ? parameter->label : parameter->id),
      .description = Copy(parameter->description),
      .group = Copy(parameter->group),
      .look = (weft_plugin_types_parameter_look_t)parameter->look,
      .default_ = DefaultOf(parameter),
      .minimum = {parameter->range.set, parameter->range.minimum},
      .maximum = {parameter->range.set, parameter->range.maximum},
      .step = {parameter->step != 0, parameter->step},
      .animatable = parameter->animatable,
      .reconfigures = parameter->reconfigures,
  };
  size_t count = 0;
  while (parameter->choices && parameter->choices[count]) ++count;
  described.choices.ptr = kit_allocate(count * sizeof(plugin_string_t));
  described.choices.len = count;
  for (size_t i = 0; i < count; ++i) described.choices.ptr[i] = Copy(parameter->choices[i]);
  return described;
}

void exports_weft_plugin_effect_describe(exports_weft_plugin_effect_description_t* ret) {
  *ret = (weft_plugin_types_description_t){
      .id = Copy(MAIN->id),
      .label = Copy(MAIN->label ? MAIN->label : MAIN->id),
      .version = Copy(MAIN->version),
      .description = Copy(MAIN->description),
      .inputs = DescribePorts(MAIN->inputs, MAIN->input_count, false),
      .outputs = DescribePorts(MAIN->outputs, MAIN->output_count, true),
      .sequential = MAIN->sequential,
  };
  ret->parameters.ptr = kit_allocate(MAIN->parameter_count * sizeof(weft_plugin_types_parameter_t));
  ret->parameters.len = MAIN->parameter_count;
  for (size_t i = 0; i < MAIN->parameter_count; ++i) ret->parameters.ptr[i] = DescribeParameter(&MAIN->parameters[i]);
}

// ---- Life of an instance --------------------------------------------------------------------------------------------------------

// Hands the error of a callback that answered false to the host.
static bool Failed(weft_context* context, plugin_string_t* err) {
  if (!context->failed) weft_fail(context, "The plugin failed and gave no reason.");
  *err = context->error;
  context->failed = false;
  context->error = (plugin_string_t){0};
  return false;
}

bool exports_weft_plugin_effect_static_instance_create(exports_weft_plugin_effect_own_gpu_device_t device,
                                                       exports_weft_plugin_effect_own_instance_t* ret, plugin_string_t* err) {
  exports_weft_plugin_effect_instance_t* instance = kit_allocate(sizeof *instance);
  weft_context* context = &instance->context;
  context->device = device;
  context->queue = wasi_webgpu_webgpu_method_gpu_device_queue(weft_device(context));
  context->values = kit_allocate(MAIN->parameter_count * sizeof *context->values);
  for (size_t i = 0; i < MAIN->parameter_count; ++i) context->values[i] = DefaultOf(&MAIN->parameters[i]);
  context->inputs = kit_allocate(MAIN->input_count * sizeof(weft_port_info));
  context->outputs = kit_allocate(MAIN->output_count * sizeof(weft_port_info));
  context->state = kit_allocate(MAIN->state_size);
  context->lifetime = WEFT_FOR_INSTANCE;
  if (MAIN->create && (!MAIN->create(context) || context->failed)) {
    Failed(context, err);
    exports_weft_plugin_effect_instance_destructor(instance);
    return false;
  }
  *ret = exports_weft_plugin_effect_instance_new(instance);
  return true;
}

void exports_weft_plugin_effect_instance_destructor(exports_weft_plugin_effect_instance_t* instance) {
  weft_context* context = &instance->context;
  if (MAIN->destroy) MAIN->destroy(context);
  for (size_t i = WEFT_COUNT(context->scopes); i-- > 0;) {
    kit_drop_all(&context->scopes[i]);
    free(context->scopes[i].items);
  }
  for (size_t i = 0; i < MAIN->parameter_count; ++i) weft_plugin_types_value_free(&context->values[i]);
  free(context->values);
  free(context->inputs);
  free(context->outputs);
  free(context->state);
  wasi_webgpu_webgpu_gpu_queue_drop_own(context->queue);
  wasi_webgpu_webgpu_gpu_device_drop_own(context->device);
  free(instance);
}

bool exports_weft_plugin_effect_method_instance_set(exports_weft_plugin_effect_borrow_instance_t self,
                                                    exports_weft_plugin_effect_list_tuple2_u32_value_t* values, plugin_string_t* err) {
  weft_context* context = &self->context;
  bool good = true;
  for (size_t i = 0; i < values->len; ++i) {
    exports_weft_plugin_effect_tuple2_u32_value_t* change = &values->ptr[i];
    if (change->f0 >= MAIN->parameter_count) {
      good = weft_fail(context, "There is no parameter number ", weft_digits(context, change->f0), ".");
    } else if (change->f1.tag != context->values[change->f0].tag) {
      good = weft_fail(context, "The value for parameter '", MAIN->parameters[change->f0].id, "' is of another type.");
    } else {
      weft_plugin_types_value_free(&context->values[change->f0]);
      context->values[change->f0] = change->f1;
      continue;
    }
    weft_plugin_types_value_free(&change->f1);
  }
  if (values->len > 0) free(values->ptr);  // not what is in it: kept or freed above
  return good || Failed(context, err);
}

bool exports_weft_plugin_effect_method_instance_save(exports_weft_plugin_effect_borrow_instance_t self, plugin_list_u8_t* ret,
                                                     plugin_string_t* err) {
  weft_bytes state = {0};
  if (MAIN->save && !MAIN->save(&self->context, &state)) return Failed(&self->context, err);
  *ret = (plugin_list_u8_t){kit_allocate(state.size), state.size};
  if (state.size > 0) memcpy(ret->ptr, state.data, state.size);
  return true;
}

bool exports_weft_plugin_effect_method_instance_restore(exports_weft_plugin_effect_borrow_instance_t self, plugin_list_u8_t* state,
                                                        plugin_string_t* err) {
  bool good = true;
  if (MAIN->restore) good = MAIN->restore(&self->context, (weft_bytes){state->ptr, state->len});
  plugin_list_u8_free(state);
  return good || Failed(&self->context, err);
}

// ---- Values ---------------------------------------------------------------------------------------------------------------------

static const weft_plugin_types_value_t* Value(const weft_context* context, size_t parameter, uint8_t tag) {
  // A plugin that asks for what it did not describe is wrong for everybody: stop where it is.
  if (parameter >= MAIN->parameter_count || context->values[parameter].tag != tag) __builtin_trap();
  return &context->values[parameter];
}

double weft_number(const weft_context* context, size_t parameter) {
  if (parameter < MAIN->parameter_count && context->values[parameter].tag == WEFT_PLUGIN_TYPES_VALUE_INTEGER) {
    return (double)context->values[parameter].val.integer;
  }
  return Value(context, parameter, WEFT_PLUGIN_TYPES_VALUE_NUMBER)->val.number;
}

int64_t weft_integer(const weft_context* context, size_t parameter) {
  return Value(context, parameter, WEFT_PLUGIN_TYPES_VALUE_INTEGER)->val.integer;
}

bool weft_boolean(const weft_context* context, size_t parameter) {
  return Value(context, parameter, WEFT_PLUGIN_TYPES_VALUE_BOOLEAN)->val.boolean;
}

uint32_t weft_choice(const weft_context* context, size_t parameter) {
  return Value(context, parameter, WEFT_PLUGIN_TYPES_VALUE_CHOICE)->val.choice;
}

const double* weft_vector(const weft_context* context, size_t parameter) {
  return &Value(context, parameter, WEFT_PLUGIN_TYPES_VALUE_VECTOR)->val.vector.f0;
}

weft_bytes weft_text_value(const weft_context* context, size_t parameter) {
  const plugin_string_t* text = &Value(context, parameter, WEFT_PLUGIN_TYPES_VALUE_TEXT)->val.text;
  return (weft_bytes){text->ptr, text->len};
}

weft_bytes weft_bytes_value(const weft_context* context, size_t parameter) {
  const plugin_list_u8_t* bytes = &Value(context, parameter, WEFT_PLUGIN_TYPES_VALUE_BYTES)->val.bytes;
  return (weft_bytes){bytes->ptr, bytes->len};
}

// ---- configure ------------------------------------------------------------------------------------------------------------------

static void GuessOutputs(weft_context* context, const weft_frame_info* project) {
  weft_frame_info info = *project;
  for (size_t i = MAIN->input_count; i-- > 0;) {
    if (context->inputs[i].tag == WEFT_PLUGIN_TYPES_PORT_INFO_TEXTURE) info = context->inputs[i].val.texture;
  }
  if (!weft_format_name(info.format)) info.format = WEFT_RGBA16FLOAT;
  for (size_t i = 0; i < MAIN->output_count; ++i) {
    weft_port_info* output = &context->outputs[i];
    *output = (weft_port_info){.tag = WEFT_PLUGIN_TYPES_PORT_INFO_ABSENT};
    if (MAIN->outputs[i].type == WEFT_DATA) output->tag = WEFT_PLUGIN_TYPES_PORT_INFO_DATA;
    if (MAIN->outputs[i].type != WEFT_TEXTURE) continue;
    output->tag = WEFT_PLUGIN_TYPES_PORT_INFO_TEXTURE;
    output->val.texture = info;
  }
}

static bool SameFrame(const weft_frame_info* a, const weft_frame_info* b) {
  return a->width == b->width && a->height == b->height && a->format == b->format && a->alpha == b->alpha &&
         a->color.primaries == b->color.primaries && a->color.transfer == b->color.transfer && a->color.matrix == b->color.matrix &&
         a->color.full_range == b->color.full_range && a->pixel_aspect.num == b->pixel_aspect.num &&
         a->pixel_aspect.den == b->pixel_aspect.den;
}

static bool SamePort(const weft_port_info* a, const weft_port_info* b) {
  if (a->tag != b->tag) return false;
  if (a->tag == WEFT_PLUGIN_TYPES_PORT_INFO_TEXTURE) return SameFrame(&a->val.texture, &b->val.texture);
  return a->tag != WEFT_PLUGIN_TYPES_PORT_INFO_BUFFER || a->val.buffer == b->val.buffer;
}

bool weft_reuse(weft_context* context) { return context->reused = context->same; }

bool exports_weft_plugin_effect_method_instance_configure(exports_weft_plugin_effect_borrow_instance_t self,
                                                          exports_weft_plugin_effect_project_t* project,
                                                          exports_weft_plugin_effect_list_port_info_t* inputs,
                                                          exports_weft_plugin_effect_plan_t* ret, plugin_string_t* err) {
  weft_context* context = &self->context;
  context->same = context->configured && SameFrame(&context->project, &project->frame);
  context->project = project->frame;
  for (size_t i = 0; i < MAIN->input_count; ++i) {
    weft_port_info info = i < inputs->len ? inputs->ptr[i] : (weft_port_info){.tag = WEFT_PLUGIN_TYPES_PORT_INFO_ABSENT};
    context->same = context->same && SamePort(&context->inputs[i], &info);
    context->inputs[i] = info;
  }
  exports_weft_plugin_effect_list_port_info_free(inputs);
  // What is to be kept is set aside; what the plugin makes now goes into a fresh list.
  kit_scope before = context->scopes[WEFT_FOR_CONFIGURATION];
  context->scopes[WEFT_FOR_CONFIGURATION] = (kit_scope){0};
  if (!context->same) kit_drop_all(&before);
  context->reused = context->configured = false;
  context->lifetime = WEFT_FOR_CONFIGURATION;
  GuessOutputs(context, &project->frame);
  context->pass_through = (plugin_list_tuple2_u32_u32_t){0};
  weft_window windows[MAIN->input_count + 1];
  memset(windows, 0, sizeof windows);
  weft_plan plan = {project->frame, context->inputs, context->outputs, windows};
  bool good = !MAIN->configure || MAIN->configure(context, &plan);
  if (context->reused) {
    for (size_t i = 0; i < before.count; ++i) kit_own(context, before.items[i].kind, before.items[i].value);
    before.count = 0;
  }
  kit_drop_all(&before);
  free(before.items);
  context->configured = good && !context->failed;
  if (!good || context->failed) {
    free(context->pass_through.ptr);
    return Failed(context, err);
  }
  *ret = (weft_plugin_types_plan_t){
      .inputs = {kit_allocate(MAIN->input_count * sizeof(weft_plugin_types_input_plan_t)), MAIN->input_count},
      .outputs = {kit_allocate(MAIN->output_count * sizeof(weft_port_info)), MAIN->output_count},
      .pass_through = context->pass_through,
  };
  for (size_t i = 0; i < MAIN->input_count; ++i) {
    ret->inputs.ptr[i].window = (plugin_tuple2_s32_s32_t){windows[i].first, windows[i].last};
  }
  memcpy(ret->outputs.ptr, context->outputs, MAIN->output_count * sizeof(weft_port_info));
  return true;
}

void weft_pass_through(weft_context* context, uint32_t output, uint32_t input) {
  plugin_list_tuple2_u32_u32_t* list = &context->pass_through;
  list->ptr = kit_grow(list->ptr, (list->len + 1) * sizeof *list->ptr);
  list->ptr[list->len++] = (plugin_tuple2_u32_u32_t){output, input};
}

static const weft_frame_info* TextureOf(const weft_port_info* ports, size_t count, uint32_t port) {
  if (port >= count || ports[port].tag != WEFT_PLUGIN_TYPES_PORT_INFO_TEXTURE) return NULL;
  return &ports[port].val.texture;
}

const weft_frame_info* weft_input_info(const weft_context* context, uint32_t input) {
  return TextureOf(context->inputs, MAIN->input_count, input);
}

const weft_frame_info* weft_output_info(const weft_context* context, uint32_t output) {
  return TextureOf(context->outputs, MAIN->output_count, output);
}

// ---- process --------------------------------------------------------------------------------------------------------------------

static void DropItem(weft_plugin_types_item_t* item) {
  switch (item->tag) {
    case WEFT_PLUGIN_TYPES_ITEM_TEXTURE: wasi_webgpu_webgpu_gpu_texture_drop_own(item->val.texture); break;
    case WEFT_PLUGIN_TYPES_ITEM_BUFFER: wasi_webgpu_webgpu_gpu_buffer_drop_own(item->val.buffer); break;
    default: plugin_list_u8_free(&item->val.data);
  }
}

bool exports_weft_plugin_effect_method_instance_process(exports_weft_plugin_effect_borrow_instance_t self,
                                                        exports_weft_plugin_effect_frame_time_t* time,
                                                        exports_weft_plugin_effect_list_input_t* inputs,
                                                        exports_weft_plugin_effect_list_output_t* outputs,
                                                        exports_weft_plugin_effect_frame_result_t* ret, plugin_string_t* err) {
  weft_context* context = &self->context;
  weft_frame frame = {time, inputs, outputs};
  context->lifetime = WEFT_FOR_FRAME;
  context->data = (weft_plugin_types_list_data_output_t){0};
  bool good = MAIN->process(context, &frame) && !context->failed;
  if (good) {
    weft_submit(context);
    *ret = (weft_plugin_types_frame_result_t){.data = context->data};
  } else {
    kit_abandon(context);
    weft_plugin_types_list_data_output_free(&context->data);
    Failed(context, err);
  }
  kit_drop_all(&context->scopes[WEFT_FOR_FRAME]);
  for (size_t i = 0; i < inputs->len; ++i) DropItem(&inputs->ptr[i].item);
  for (size_t i = 0; i < outputs->len; ++i) DropItem(&outputs->ptr[i].item);
  if (inputs->len > 0) free(inputs->ptr);
  if (outputs->len > 0) free(outputs->ptr);
  weft_plugin_types_metadata_free(&time->metadata);
  return good;
}

const weft_plugin_types_frame_time_t* weft_time(const weft_frame* frame) { return frame->time; }

double weft_seconds(const weft_frame* frame) {
  return frame->time->pts.den ? (double)frame->time->pts.num / (double)frame->time->pts.den : 0;
}

weft_texture weft_input(const weft_frame* frame, uint32_t input) { return weft_input_at(frame, input, 0); }

weft_texture weft_input_at(const weft_frame* frame, uint32_t input, int32_t offset) {
  for (size_t i = 0; i < frame->inputs->len; ++i) {
    const weft_plugin_types_input_t* given = &frame->inputs->ptr[i];
    if (given->port == input && given->offset == offset && given->item.tag == WEFT_PLUGIN_TYPES_ITEM_TEXTURE) {
      return given->item.val.texture;
    }
  }
  return (weft_texture){0};
}

weft_texture weft_output(const weft_frame* frame, uint32_t output) {
  for (size_t i = 0; i < frame->outputs->len; ++i) {
    const weft_plugin_types_output_t* given = &frame->outputs->ptr[i];
    if (given->port == output && given->item.tag == WEFT_PLUGIN_TYPES_ITEM_TEXTURE) return given->item.val.texture;
  }
  return (weft_texture){0};
}

weft_bytes weft_input_data(const weft_frame* frame, uint32_t input) {
  for (size_t i = 0; i < frame->inputs->len; ++i) {
    const weft_plugin_types_input_t* given = &frame->inputs->ptr[i];
    if (given->port == input && given->item.tag == WEFT_PLUGIN_TYPES_ITEM_DATA) {
      return (weft_bytes){given->item.val.data.ptr, given->item.val.data.len};
    }
  }
  return (weft_bytes){0};
}

void weft_output_data(weft_context* context, uint32_t output, const void* data, size_t size) {
  weft_plugin_types_list_data_output_t* list = &context->data;
  list->ptr = kit_grow(list->ptr, (list->len + 1) * sizeof *list->ptr);
  weft_plugin_types_data_output_t* made = &list->ptr[list->len++];
  made->port = output;
  made->bytes = (plugin_list_u8_t){kit_allocate(size), size};
  memcpy(made->bytes.ptr, data, size);
}
