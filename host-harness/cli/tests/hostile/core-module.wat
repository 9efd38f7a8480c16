;; What a compiler writes before it is made a component.
(module (func (export "describe")))
