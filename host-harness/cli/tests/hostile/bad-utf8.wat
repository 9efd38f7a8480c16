;; Has a name that is not UTF-8.
(module
  (memory (export "memory") 1)
  (data (i32.const 16) "\40\00\00\00" "\02\00\00\00") ;; at 64, 2 bytes
  (data (i32.const 64) "\c3\28")
  (func (export "lictor:policy/core@0.1.0#describe") (result i32) (i32.const 16)))
