;; Describes a system without a name that decides at Reserve, and traps when it is given a checkpoint.
(module
  (data (i32.const 1040) "\50\04\00\00\01\00\00\00")
  (data (i32.const 1120) "\14\05\00\00\01\00\00\00")
  (data (i32.const 1300) "\24\05\00\00\07\00\00\00")
  (data (i32.const 1316) "reserve")
  (func (export "lictor:policy/core@0.1.0#describe") (result i32) (i32.const 1024))
  (func (export "lictor:policy/state@0.1.0#restore") (param i32 i32 i32) (result i32) unreachable))
