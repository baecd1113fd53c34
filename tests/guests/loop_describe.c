// SPDX-License-Identifier: Apache-2.0
// Loops in describe. Written on the bare bindings: the kit's describe is made from a constant.
#include <plugin.h>

void exports_weft_plugin_effect_describe(exports_weft_plugin_effect_description_t* ret) {
  (void)ret;
  for (volatile int forever = 1; forever;) {
  }
}

bool exports_weft_plugin_effect_static_instance_create(exports_weft_plugin_effect_own_gpu_device_t device,
                                                       exports_weft_plugin_effect_own_instance_t* ret, plugin_string_t* err) {
  (void)device, (void)ret, (void)err;
  __builtin_trap();
}
bool exports_weft_plugin_effect_method_instance_set(exports_weft_plugin_effect_borrow_instance_t self,
                                                    exports_weft_plugin_effect_list_tuple2_u32_value_t* values, plugin_string_t* err) {
  (void)self, (void)values, (void)err;
  __builtin_trap();
}
bool exports_weft_plugin_effect_method_instance_configure(exports_weft_plugin_effect_borrow_instance_t self,
                                                          exports_weft_plugin_effect_project_t* project,
                                                          exports_weft_plugin_effect_list_port_info_t* inputs,
                                                          exports_weft_plugin_effect_plan_t* ret, plugin_string_t* err) {
  (void)self, (void)project, (void)inputs, (void)ret, (void)err;
  __builtin_trap();
}
bool exports_weft_plugin_effect_method_instance_process(exports_weft_plugin_effect_borrow_instance_t self,
                                                        exports_weft_plugin_effect_frame_time_t* time,
                                                        exports_weft_plugin_effect_list_input_t* inputs,
                                                        exports_weft_plugin_effect_list_output_t* outputs,
                                                        exports_weft_plugin_effect_frame_result_t* ret, plugin_string_t* err) {
  (void)self, (void)time, (void)inputs, (void)outputs, (void)ret, (void)err;
  __builtin_trap();
}
bool exports_weft_plugin_effect_method_instance_save(exports_weft_plugin_effect_borrow_instance_t self, plugin_list_u8_t* ret,
                                                     plugin_string_t* err) {
  (void)self, (void)ret, (void)err;
  __builtin_trap();
}
bool exports_weft_plugin_effect_method_instance_restore(exports_weft_plugin_effect_borrow_instance_t self, plugin_list_u8_t* state,
                                                        plugin_string_t* err) {
  (void)self, (void)state, (void)err;
  __builtin_trap();
}
void exports_weft_plugin_effect_instance_destructor(exports_weft_plugin_effect_instance_t* rep) { (void)rep; }
