//! Properties of the model: whatever happens, its books are those of its pods; whatever is tried leaves nothing.

mod audit;
mod books;
mod random;
mod trials;
