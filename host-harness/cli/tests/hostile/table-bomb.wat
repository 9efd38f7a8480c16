;; Takes table elements until it is refused.
(module
  (table $t 1 funcref)
  (func (export "lictor:policy/core@0.1.0#describe") (result i32)
    (loop $again (br_if $again (i32.ne (table.grow $t (ref.null func) (i32.const 10000)) (i32.const -1))))
    unreachable))
