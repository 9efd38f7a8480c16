//! Files that are not taken as a policy.

use std::time::Duration;

use lictor::embedded;
use lictor_contract::Threat;
use lictor_host::policy::Policy;
use lictor_host::sandbox::{LoadError, NotAComponent, Sandbox, SandboxLimits};

use crate::assemble::{policy, renamed};

/// Returns why a file is refused. Afterwards the host must load a sound one.
fn refused(bytes: &[u8]) -> LoadError {
    let sandbox = Sandbox::new(SandboxLimits::default()).unwrap();
    let error = sandbox.load(bytes).err().expect("a refusal");
    assert!(sandbox.load(&policy("(module)")).is_ok());
    assert_eq!((sandbox.counters().refused, sandbox.counters().loaded), (1, 1));
    error
}

#[test]
fn what_is_no_component() {
    let module = wat::parse_str(include_str!("core-module.wat")).unwrap();
    let cases: [(&[u8], NotAComponent); 4] = [
        (b"", NotAComponent::Empty),
        (include_bytes!("core-module.wat"), NotAComponent::Text),
        (&module, NotAComponent::CoreModule),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", NotAComponent::Other),
    ];
    for (bytes, kind) in cases {
        assert_eq!(refused(bytes), LoadError::NotAComponent(kind));
    }
}

#[test]
fn a_component_that_is_cut_off_or_damaged() {
    let whole = embedded();
    assert!(matches!(refused(&whole[..whole.len() / 2]), LoadError::Invalid(_)));
    let mut damaged = whole.to_vec();
    damaged[10..40].fill(0xff);
    assert!(matches!(refused(&damaged), LoadError::Invalid(_)));
}

#[test]
fn a_component_that_imports() {
    let error = refused(&wat::parse_str(include_str!("wasi-import.wat")).unwrap());
    let imports = ["wasi:io/streams@0.2.0", "lictor:policy/cluster@0.1.0"];
    assert_eq!(error, LoadError::Imports(imports.map(str::to_owned).to_vec()));
    assert!(error.to_string().contains("build it for wasm32-unknown-unknown"));
}

#[test]
fn a_component_without_an_interface() {
    let error = refused(&renamed(&policy("(module)"), "policy/core@", "policy/corn@"));
    assert_eq!(error, LoadError::LacksInterface("lictor:policy/core@0.1.0".to_owned()));
}

#[test]
fn a_component_without_a_function() {
    let lacks = |interface: &str, function: &str| LoadError::LacksFunction {
        interface: interface.to_owned(),
        function: function.to_owned(),
    };
    // A name stands behind its length.
    let error = refused(&renamed(&policy("(module)"), "\x03act", "\x03art"));
    assert_eq!(error, lacks("lictor:policy/cycle@0.1.0", "act"));
    let error = refused(&renamed(&policy("(module)"), "\x07restore", "\x07restyle"));
    assert_eq!(error, lacks("lictor:policy/state@0.1.0", "restore"));
}

#[test]
fn a_component_with_other_types() {
    let error = refused(&renamed(&policy("(module)"), "\x04more", "\x04less"));
    let LoadError::OtherTypes { interface, difference } = error else { panic!("{error:?}") };
    assert_eq!(interface, "lictor:policy/cycle@0.1.0");
    assert_eq!(difference, "expected record field named more, found less");
}

#[test]
fn a_component_for_another_version() {
    let error = refused(&renamed(&policy("(module)"), "@0.1.0", "@0.2.0"));
    assert_eq!(error, LoadError::OtherVersion { found: "0.2.0".to_owned(), known: "0.1.0" });
}

#[test]
fn a_compatible_version_is_taken() {
    let sandbox = Sandbox::new(SandboxLimits::default()).unwrap();
    let bytes = renamed(&policy("(module)"), "@0.1.0", "@0.1.7");
    let mut policy = sandbox.load(&bytes).unwrap().start().unwrap();
    assert_eq!(policy.describe().unwrap().name, "");
    assert_eq!(policy.queues().unwrap(), []);
    assert_eq!(policy.memberships(&[]).unwrap(), []);
    assert_eq!(policy.standings(&[]).unwrap(), Vec::<Vec<Threat>>::new());
    assert_eq!(sandbox.inspect(&bytes).contract.as_deref(), Some("0.1.7"));
}

#[test]
fn a_component_that_is_too_large() {
    let bytes = policy("(module)");
    let limit = bytes.len() - 1;
    let sandbox = Sandbox::new(SandboxLimits { component_bytes: limit, ..SandboxLimits::default() }).unwrap();
    assert_eq!(sandbox.load(&bytes).err(), Some(LoadError::TooLarge { bytes: bytes.len(), limit }));
    assert_eq!((sandbox.counters().refused, sandbox.counters().too_large), (1, 1));
}

#[test]
fn a_component_that_takes_too_long_to_compile() {
    let compile_deadline = Duration::from_micros(1);
    let sandbox = Sandbox::new(SandboxLimits { compile_deadline, ..SandboxLimits::default() }).unwrap();
    assert_eq!(sandbox.load(embedded()).err(), Some(LoadError::SlowToCompile(compile_deadline)));
    assert_eq!((sandbox.counters().refused, sandbox.counters().slow_to_compile), (1, 1));
}

#[test]
fn what_is_refused_is_inspected_as_far_as_it_goes() {
    let sandbox = Sandbox::new(SandboxLimits::default()).unwrap();
    let told = sandbox.inspect(b"");
    // SHA-256 of nothing.
    assert_eq!(told.sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_eq!((told.bytes, told.refused), (0, Some(LoadError::NotAComponent(NotAComponent::Empty))));

    let told = sandbox.inspect(&wat::parse_str(include_str!("wasi-import.wat")).unwrap());
    assert_eq!(told.imports, ["wasi:io/streams@0.2.0", "lictor:policy/cluster@0.1.0"]);
    assert!(matches!(told.refused, Some(LoadError::Imports(_))));

    let told = sandbox.inspect(&policy(include_str!("trap.wat")));
    assert_eq!(told.exports.len(), 13);
    assert!(
        matches!(&told.refused, Some(LoadError::NoDescription(why)) if why.contains("the_faulty_one")),
        "{:?}",
        told.refused
    );
}
