;; SPDX-License-Identifier: Apache-2.0
;; A command that fails when it has three arguments.
(component
  (import "wasi:cli/environment@0.2.0" (instance $env (export "get-arguments" (func (result (list string))))))
  (core module $mem
    (memory (export "memory") 1)
    (global $at (mut i32) (i32.const 1024))
    (func (export "realloc") (param i32 i32 i32 i32) (result i32)
      (local $p i32)
      (local.set $p (i32.and (i32.add (global.get $at) (i32.const 7)) (i32.const -8)))
      (global.set $at (i32.add (local.get $p) (local.get 3)))
      (local.get $p)))
  (core instance $mem (instantiate $mem))
  (core func $get (canon lower (func $env "get-arguments") (memory (core memory $mem "memory")) (realloc (core func $mem "realloc"))))
  (core module $main
    (import "env" "memory" (memory 1))
    (import "env" "get" (func $get (param i32)))
    (func (export "run") (result i32)
      (call $get (i32.const 16))
      (i32.eq (i32.load (i32.const 20)) (i32.const 3))))
  (alias core export $mem "memory" (core memory $memory))
  (core instance $env_for_main (export "memory" (memory $memory)) (export "get" (func $get)))
  (core instance $main (instantiate $main (with "env" (instance $env_for_main))))
  (func $run (result (result)) (canon lift (core func $main "run")))
  (instance $cli (export "run" (func $run)))
  (export "wasi:cli/run@0.2.0" (instance $cli)))
