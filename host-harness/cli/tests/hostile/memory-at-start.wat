;; Wants 3.9 GB before it starts.
(module (memory (export "memory") 60000))
