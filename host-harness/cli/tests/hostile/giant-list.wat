;; Answers filter with the codes of 68 million nodes: 68 MB.
(module
  (memory (export "memory") 1100)
  (data (i32.const 16) "\00\00\00\00" "\00\10\00\00" "\00\99\0d\04") ;; ok, at 4096, 68000000
  (func (export "lictor:policy/placement@0.1.0#filter") (param i32) (result i32) (i32.const 16)))
