;; SPDX-License-Identifier: Apache-2.0
(component
  (core module $m (func $start (loop $l (br $l))) (start $start))
  (core instance (instantiate $m)))
