;; Describes a system without a name that decides at Reserve, and counts to a million there for each number that the pod has.
(module
  (data (i32.const 1040) "\50\04\00\00\01\00\00\00")
  (data (i32.const 1120) "\14\05\00\00\01\00\00\00")
  (data (i32.const 1300) "\24\05\00\00\07\00\00\00")
  (data (i32.const 1316) "reserve")
  (func (export "lictor:policy/core@0.1.0#describe") (result i32) (i32.const 1024))
  (func (export "lictor:policy/placement@0.1.0#reserve") (param i32 i32) (result i32)
    (local $left i64)
    (local.set $left (i64.mul (i64.extend_i32_u (local.get 0)) (i64.const 1000000)))
    (block $done
      (loop $again
        (br_if $done (i64.eqz (local.get $left)))
        (local.set $left (i64.sub (local.get $left) (i64.const 1)))
        (br $again)))
    (i32.const 0)))
