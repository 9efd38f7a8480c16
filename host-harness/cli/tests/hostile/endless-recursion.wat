;; Calls itself until the stack is used up.
(module
  (func $deeper (param i64) (result i64) (i64.add (i64.const 1) (call $deeper (local.get 0))))
  (func (export "lictor:policy/core@0.1.0#describe") (result i32) (drop (call $deeper (i64.const 0))) (i32.const 0)))
