//! Properties of the model: whatever happens, its books are those of its pods; whatever is tried, nothing of it is left.

mod audit;
mod books;
mod random;
mod trials;
