#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lictor_fuzzing::run("arguments", data));
