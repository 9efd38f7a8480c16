//! The type of a reason for TypeScript: that of its written form.

use std::path::PathBuf;

use ts_rs::{Config, TS, TypeVisitor};

use super::{NamedReason, ReasonJson};

type As = ReasonJson<'static>;

impl TS for NamedReason {
    type WithoutGenerics = Self;
    type OptionInnerType = Self;

    fn docs() -> Option<String> {
        As::docs()
    }

    fn name(config: &Config) -> String {
        As::name(config)
    }

    fn decl(config: &Config) -> String {
        As::decl(config)
    }

    fn inline(config: &Config) -> String {
        As::inline(config)
    }

    fn inline_flattened(config: &Config) -> String {
        As::inline_flattened(config)
    }

    fn visit_dependencies(visitor: &mut impl TypeVisitor) {
        As::visit_dependencies(visitor);
    }

    fn output_path() -> Option<PathBuf> {
        As::output_path()
    }
}
