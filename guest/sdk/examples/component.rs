//! Makes a component of the core module that the compiler writes, as `wasm-tools component new` does.
//!
//!     cargo run -p lictor-sdk --example component -- MODULE COMPONENT

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(module), Some(component), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        eprintln!("usage: component MODULE COMPONENT");
        return ExitCode::from(2);
    };
    let made = || -> Result<(), Box<dyn std::error::Error>> {
        let mut encoder = wit_component::ComponentEncoder::default().validate(true).module(&std::fs::read(&module)?)?;
        Ok(std::fs::write(&component, encoder.encode()?)?)
    };
    match made() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
