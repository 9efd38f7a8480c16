;; Stops itself in a function that has a name.
(module
  (func $the_faulty_one unreachable)
  (func (export "lictor:policy/decision@0.1.0#describe") (result i32) (call $the_faulty_one) (i32.const 0)))
