;; Takes a MiB for every event: what it holds is no leak, a new instance holds as much.
(module
  (memory (export "memory") 1)
  (data (i32.const 1040) "\50\04\00\00\01\00\00\00")
  (data (i32.const 1120) "\14\05\00\00\01\00\00\00")
  (data (i32.const 1300) "\24\05\00\00\07\00\00\00")
  (data (i32.const 1316) "reserve")
  (func (export "lictor:policy/core@0.1.0#describe") (result i32) (i32.const 1024))
  (func (export "lictor:policy/core@0.1.0#apply") (param i32 i32 i32 i32) (result i32)
    (drop (memory.grow (i32.mul (i32.const 16) (local.get 3)))) (i32.const 0)))
