;; Wants to write to streams, and to be given the types of the contract.
(component
  (import "wasi:io/streams@0.2.0" (instance (export "output-stream" (type (sub resource)))))
  (import "lictor:policy/cluster@0.1.0" (instance)))
