//! Tests of the conversation; the frames have test vectors.
