;; Never ends to start.
(module
  (func $start (loop $again (br $again)))
  (start $start))
