//! An elastic job has its minimum, or one of the sizes its rule names, and no other.
//!
//! By powers of two, the size of the whole job is a power of two; by multiples, it is the minimum and some times the factor. The
//! minimum is always legal. A job is found in another size only where somebody else deleted a pod; from there it goes to a legal
//! one in one step.

use crate::laws::{Case, Denial, Law, Question};

/// See the module.
pub const LAW: Law = Law {
    name: "elastic-size-is-legal",
    question: Question::Limit,
    sentence: "an elastic job has its minimum, or one of the sizes its rule names",
    file: include_str!("elastic_size_is_legal.rs"),
};

/// Whether the size of the asker's job is legal.
pub fn holds(case: &Case<'_>) -> Result<(), Denial> {
    let elastic = case.preemptor.job.and_then(|job| case.cluster.job(job)).and_then(|job| job.elastic());
    let Some(elastic) = elastic else { return Ok(()) };
    let size = case.cluster.holders(case.preemptor.pod).count();
    match elastic.allows(case.cluster.minimum(case.preemptor.pod), size) {
        true => Ok(()),
        false => Err(Denial::Fact("the size of the job would be none that its rule names")),
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Elastic, Sizes};

    fn legal(sizes: Sizes, minimum: usize, most: u32) -> Vec<usize> {
        let elastic = Elastic { sizes, interval: 0, most: Some(most) };
        (0..=20).filter(|size| elastic.allows(minimum, *size)).collect()
    }

    #[test]
    fn powers_of_two_are_those_of_the_whole_job_and_the_minimum_is_one_more() {
        assert_eq!(legal(Sizes::PowersOfTwo, 2, 8), [2, 4, 8]);
        assert_eq!(legal(Sizes::PowersOfTwo, 3, 20), [3, 4, 8, 16]);
        assert_eq!(legal(Sizes::PowersOfTwo, 1, 7), [1, 2, 4]);
    }

    #[test]
    fn multiples_count_from_the_minimum() {
        assert_eq!(legal(Sizes::Multiples(3), 3, 9), [3, 6, 9]);
        assert_eq!(legal(Sizes::Multiples(4), 2, 11), [2, 6, 10]);
        assert_eq!(legal(Sizes::Multiples(1), 2, 5), [2, 3, 4, 5]);
    }
}
