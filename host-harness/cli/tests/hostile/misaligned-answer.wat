;; Answers at an address that no record can have.
(module
  (func (export "lictor:policy/core@0.1.0#describe") (result i32) (i32.const 3)))
