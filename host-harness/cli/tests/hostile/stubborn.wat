;; Plans to place pod 0 on node 0 and to evict pod 0, under a new number each time, whatever the host has refused.
(module
  (memory (export "memory") 1)
  (data (i32.const 2064) "\20\08\00\00" "\01\00\00\00") ;; one system, at 2080
  (data (i32.const 2096) "\98\08\00\00" "\01\00\00\00") ;; with one extension point, at 2200
  (data (i32.const 2200) "\a8\08\00\00" "\0b\00\00\00") ;; of 11 letters, at 2216
  (data (i32.const 2216) "post-filter")
  (func (export "lictor:policy/core@0.1.0#describe") (result i32) (i32.const 2048))
  (data (i32.const 72) "\01") ;; ok, a plan: its number is at 80, its preemptor is 0
  (data (i32.const 92) "\00\04\00\00" "\01\00\00\00") ;; one nomination, at 1024: zeros
  (data (i32.const 100) "\00\04\00\00" "\01\00\00\00") ;; one victim, at 1024
  (func (export "lictor:policy/placement@0.1.0#post-filter") (param i32 i32 i32 i32 i32 i32) (result i32)
    (i64.store (i32.const 80) (i64.add (i64.load (i32.const 80)) (i64.const 1)))
    (i32.const 64)))
