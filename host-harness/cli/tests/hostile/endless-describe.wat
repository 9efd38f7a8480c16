;; Never says what it is.
(module
  (func (export "lictor:policy/core@0.1.0#describe") (result i32) (loop $again (br $again)) (i32.const 0)))
