;; Writes a mark at a place that is none.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\00\00\00\00" "\20\00\00\00" "\01\00\00\00") ;; ok, a list at 32, of 1
  (data (i32.const 32) "\c8") ;; the place 200
  (func (export "lictor:policy/marks@0.1.0#marks") (param i32 i32) (result i32) (i32.const 16)))
