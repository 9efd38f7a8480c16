//! Builds modules for browsers where a feature asks for them: the page (`bundle`), and the engine for an npm package (`npm`).

#[cfg(feature = "modules")]
mod modules;
#[cfg(feature = "npm")]
mod npm;
#[cfg(feature = "bundle")]
mod page;

fn main() -> std::process::ExitCode {
    println!("cargo::rerun-if-changed=build");
    #[cfg(feature = "modules")]
    if let Err(error) = build() {
        println!("cargo::error={error}");
        return std::process::ExitCode::FAILURE;
    }
    std::process::ExitCode::SUCCESS
}

#[cfg(feature = "modules")]
fn build() -> Result<(), Box<dyn std::error::Error>> {
    let modules = modules::Modules::build()?;
    #[cfg(feature = "bundle")]
    page::build(&modules)?;
    #[cfg(feature = "npm")]
    npm::build(&modules)?;
    Ok(())
}
