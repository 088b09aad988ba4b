//! The binary works from anywhere, and says what it does not find.
