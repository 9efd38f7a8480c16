//! Properties of the model: whatever happens, its books are those of its pods; whatever is tried leaves nothing.

mod audit;
mod books;
mod inter_pods;
mod random;
mod trials;
