//! What is said of a test that cannot be run.

/// In CI, a browser, node and the compiler of TypeScript are there.
const REQUIRED: &str = "LICTOR_REQUIRE_BROWSER";

/// Says that a test is not run; in CI that is a failure.
pub(crate) fn not_run(why: &str) {
    let is_required = std::env::var_os(REQUIRED).is_some_and(|required| required == "1");
    assert!(!is_required, "{REQUIRED} is set, and not run: {why}");
    eprintln!("not run: {why}");
}
