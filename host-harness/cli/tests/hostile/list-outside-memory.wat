;; Answers filter with codes that begin in its memory and end outside.
(module
  (data (i32.const 16) "\00\00\00\00" "\f0\ff\00\00" "\14\00\00\00") ;; ok, at 65520, 20: 4 bytes too many
  (memory (export "memory") 1)
  (func (export "lictor:policy/placement@0.1.0#filter") (param i32) (result i32) (i32.const 16)))
