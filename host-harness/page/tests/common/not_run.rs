//! What is said of a test that cannot be run.

/// In CI, node and the compiler of TypeScript are there.
const REQUIRED: &str = "LICTOR_REQUIRE_BROWSER";

/// Says that a test is not run; in CI that is a failure.
pub(crate) fn not_run(why: &str) {
    assert!(std::env::var_os(REQUIRED).is_none(), "{REQUIRED} is set, and {why}");
    eprintln!("not run: {why}");
}
