//! The view model, made of the answers of the engine. It needs no browser.

pub mod bars;
pub mod compare;
pub mod form;
pub mod jobs;
pub mod live;
pub mod manual;
pub mod nodes;
pub mod quantity;
pub mod results;
pub mod share;
pub mod steps;
pub mod time;
pub mod what_if;
pub mod why;
