;; Answers queue-order with a list that begins in its memory and ends outside.
(module
  (data (i32.const 16) "\00\00\00\00" "\f0\ff\00\00" "\05\00\00\00") ;; ok, at 65520, 5: 4 bytes too many
  (memory (export "memory") 1)
  (func (export "lictor:policy/queue@0.1.0#queue-order") (param i32 i32) (result i32) (i32.const 16)))
