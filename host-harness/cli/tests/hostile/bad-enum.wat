;; Refuses with an extension point that is none.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\01\00\00\00" "\05\00\00\00" "\c8") ;; error, unsupported, 200
  (func (export "lictor:policy/cycle@0.1.0#act") (result i32) (i32.const 16)))
