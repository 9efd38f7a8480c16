//! Writes a failing case as an ordinary scenario.

use std::fmt::Write;

use lictor_oracle::{CaseStep, FuzzCase};
use serde_json::{Value, json};

use super::failure::FuzzFailure;

/// Returns the name of the scenario of a case. The file is named after it.
pub fn title(case: &FuzzCase, failure: &FuzzFailure) -> String {
    format!("{}-{}-{}-{}", case.system, failure.law.replace('/', "-"), case.seed, case.index)
}

/// Returns the scenario as YAML: the cluster, the steps, and for the last step the expectations of the oracle, where they are known.
///
/// The comment at the beginning has what cannot be written as an expectation.
pub fn scenario(case: &FuzzCase, failure: &FuzzFailure) -> String {
    let FuzzCase { system, seed, index, parameters, args, objects, .. } = case;
    let mut text = String::new();
    let mut line = |words: String| {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{words}");
    };
    line(format!("# Law broken: {}. {}", failure.law, failure.text.replace('\n', " ")));
    line(format!("# lictor fuzz --system {system} --seed {seed} --from {index} --cases 1"));
    line(format!("# Parameters before it was made smaller: {parameters:?}"));
    line("apiVersion: lictor.dev/v1alpha1\nkind: Scenario".to_owned());
    line(format!("metadata: {{name: {}}}\nspec:", title(case, failure)));
    line(format!("  description: {}", json!(format!("The law `{}` holds.", failure.law))));
    line(format!("  source: {}", json!(format!("found by lictor fuzz, case {index} of seed {seed}"))));
    line(format!("  policy: {{laws: {system}, args: {}}}", Value::Object(args.clone())));
    line("  cluster:".to_owned());
    for object in objects {
        line(format!("    - {object}"));
    }
    line("  steps:".to_owned());
    let told: Vec<&(CaseStep, Value)> =
        failure.steps.iter().filter(|(step, _)| !matches!(step, CaseStep::Order | CaseStep::Usage(_))).collect();
    for (place, (step, _)) in (1usize..).zip(&told) {
        let mut written = step.written();
        if let (true, Some(expect), Some(fields)) = (place == told.len(), &failure.expect, written.as_object_mut()) {
            fields.insert("expect".to_owned(), expect.clone());
        }
        line(format!("    - {written}"));
    }
    text
}
