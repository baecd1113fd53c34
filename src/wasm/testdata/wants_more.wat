;; SPDX-License-Identifier: Apache-2.0
(component
  (import "test:other/thing@2.0.0" (instance (export "f" (func)))))
