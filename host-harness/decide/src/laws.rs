//! The laws of the built-in policy, and the reasons of its engine and of the host, as they are registered.

use lictor_host::reason::host_rules;
use lictor_policy::{LawListing, engine_rules, list_laws};
use serde::Serialize;

/// The name under which the reasons of the engine are listed.
pub const ENGINE: &str = "engine";

/// The name under which the reasons of the host are listed.
pub const HOST: &str = "host";

/// A law, or a reason of the engine or the host, as it is registered.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Law"))]
#[serde(rename_all = "camelCase")]
pub struct RegisteredRule {
    /// The system, or [`ENGINE`] or [`HOST`].
    pub system: String,
    /// The code of the law.
    pub code: &'static str,
    /// The question that it answers.
    pub question: String,
    /// What must hold.
    pub sentence: &'static str,
    /// The source of the law.
    pub source: &'static str,
    /// The preemptors that the law does not apply to.
    pub exempt: Option<&'static str>,
    /// The file in the sources.
    pub file: String,
    /// Its manual page, in Markdown.
    pub page: String,
}

impl RegisteredRule {
    fn law(system: &str, entry: &LawListing) -> RegisteredRule {
        let LawListing { code, kind: question, sentence, source, exempt, .. } = *entry;
        let (question, file, page) = (question.to_string(), entry.file(), entry.page());
        RegisteredRule { system: system.to_owned(), code, question, sentence, source, exempt, file, page }
    }
}

/// Returns every law and reason that has a code.
pub fn registered() -> Vec<RegisteredRule> {
    let laws = list_laws();
    let laws = laws.iter().map(|(system, entry)| RegisteredRule::law(system, entry));
    let engine = engine_rules();
    let engine = engine.iter().map(|entry| RegisteredRule::law(ENGINE, entry));
    let host = host_rules().map(|rule| RegisteredRule {
        system: HOST.to_owned(),
        code: rule.code,
        question: HOST.to_owned(),
        sentence: rule.sentence,
        source: "Lictor",
        exempt: None,
        file: "host-harness/host/src/reason/host.rs".to_owned(),
        page: rule.page.to_owned(),
    });
    laws.chain(engine).chain(host).collect()
}
