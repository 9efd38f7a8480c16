;; Takes memory until it is refused, and gives up then.
(module
  (memory (export "memory") 1)
  (func (export "lictor:policy/core@0.1.0#describe") (result i32)
    (loop $again (br_if $again (i32.ne (memory.grow (i32.const 16)) (i32.const -1))))
    unreachable))
