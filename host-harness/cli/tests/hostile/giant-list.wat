;; Answers queue-order with 17 million pods: 68 MB.
(module
  (memory (export "memory") 1100)
  (data (i32.const 16) "\00\00\00\00" "\00\10\00\00" "\40\66\03\01") ;; ok, at 4096, 17000000
  (func (export "lictor:policy/queue@0.1.0#queue-order") (param i32 i32) (result i32) (i32.const 16)))
