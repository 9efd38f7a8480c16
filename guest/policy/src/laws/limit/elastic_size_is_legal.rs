//! # What it demands
//!
//! The number of pods on nodes is the minimum, or a size that the rule of the job allows. With powers of two the size of the
//! whole job is a power of two. With a factor the size is the minimum plus a multiple of the factor.
//!
//! # Example
//!
//! A job has a minimum of 3 and at most 20, with powers of two. Legal sizes are 3, 4, 8 and 16.
//!
//! # Why
//!
//! Training frameworks need certain numbers of workers. A job gets another size only where another component deletes a pod; from
//! there it goes to a legal size in one step.
//!
//! # Source
//!
//! Seed *Elastic scheduling based on AI scenarios*, API design; issue volcano-sh/volcano 4666.
//!
//! # Options
//!
//! `elastic-train-power-of-two` and `elastic-train-factor` of the job.

use crate::laws::{CheckFn, Denial, Law, LawContext, LawText, page};

/// The law.
pub const LAW: Law<CheckFn> = Law::plan_invariant(
    LawText {
        name: "elastic-size-is-legal",
        sentence: "an elastic job has its minimum, or a size that its rule allows",
        templates: &[("", "the job would have a size that its rule does not allow")],
        file: page!("elastic_size_is_legal.rs"),
    },
    holds,
);

/// Checks whether the size of the job of the preemptor is legal.
fn holds(case: &LawContext<'_>) -> Result<(), Denial> {
    let Some(elastic) = case.preemptor.job.and_then(|job| case.cluster.elastic(job)) else { return Ok(()) };
    let size = case.cluster.placed_members(case.preemptor.pod).count();
    match elastic.allows(case.cluster.minimum(case.preemptor.pod), size) {
        true => Ok(()),
        false => Err(Denial::Case("")),
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{ElasticSettings, ElasticSizes};

    fn legal(sizes: ElasticSizes, minimum: usize, most: u32) -> Vec<usize> {
        let elastic = ElasticSettings { sizes, interval: 0, most: Some(most) };
        (0..=20).filter(|size| elastic.allows(minimum, *size)).collect()
    }

    #[test]
    fn powers_of_two_are_those_of_the_whole_job_and_the_minimum_is_one_more() {
        assert_eq!(legal(ElasticSizes::PowersOfTwo, 2, 8), [2, 4, 8]);
        assert_eq!(legal(ElasticSizes::PowersOfTwo, 3, 20), [3, 4, 8, 16]);
        assert_eq!(legal(ElasticSizes::PowersOfTwo, 1, 7), [1, 2, 4]);
    }

    #[test]
    fn multiples_count_from_the_minimum() {
        assert_eq!(legal(ElasticSizes::Multiples(3), 3, 9), [3, 6, 9]);
        assert_eq!(legal(ElasticSizes::Multiples(4), 2, 11), [2, 6, 10]);
        assert_eq!(legal(ElasticSizes::Multiples(1), 2, 5), [2, 3, 4, 5]);
    }
}
