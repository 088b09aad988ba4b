//! The inputs of a run: the objects of a test.
//!
//! A program asks for an input by its name and size. It gets the next object of the test that was
//! not taken yet and has this name, or this name and a number after it: on one path the objects of
//! a name are taken in the order in which they were made. What the test does not hold is zeros, and
//! it is noted: then the program is on another path than the test.

use super::{Ending, NativeCall};
use std::sync::Arc;

/// The objects of a test, and which of them were taken.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    objects: Arc<[(String, Vec<u8>)]>,
    taken: Vec<bool>,
    misfit: Option<String>,
}

impl Inputs {
    /// The objects of a test, in its order.
    pub fn new(objects: Vec<(String, Vec<u8>)>) -> Self {
        Inputs {
            taken: vec![false; objects.len()],
            objects: objects.into(),
            misfit: None,
        }
    }

    /// Where the program first asked for something that the test does not hold, in one sentence.
    pub fn misfit(&self) -> Option<&str> {
        self.misfit.as_deref()
    }

    /// Takes the next object of a name, with the size that the test gives it.
    pub fn take_any(&mut self, name: &str) -> Option<Vec<u8>> {
        let objects = self.objects.iter().zip(&self.taken);
        let found = objects
            .enumerate()
            .find(|(_, (object, taken))| !**taken && is_called(&object.0, name));
        let (i, (object, _)) = found?;
        let bytes = object.1.clone();
        self.taken[i] = true;
        Some(bytes)
    }

    /// Whether there is an object of a name that was not taken.
    pub fn has(&self, name: &str) -> bool {
        let mut objects = self.objects.iter().zip(&self.taken);
        objects.any(|(object, taken)| !*taken && is_called(&object.0, name))
    }

    /// Takes the next object of a name as so many bytes.
    pub fn take(&mut self, name: &str, size: u64) -> Vec<u8> {
        let size = size as usize;
        let (mut bytes, misfit) = match self.take_any(name) {
            None => {
                let what = format!("the test has no object {name} left; zeros stand in for it");
                (Vec::new(), Some(what))
            }
            Some(bytes) if bytes.len() != size => {
                let has = bytes.len();
                let what = format!(
                    "the object {name} has {has} bytes in the test, but {size} in the program"
                );
                (bytes, Some(what))
            }
            Some(bytes) => (bytes, None),
        };
        if self.misfit.is_none() {
            self.misfit = misfit;
        }
        bytes.resize(size, 0);
        bytes
    }
}

/// Whether an object has a name, or the name, an underscore and a number.
fn is_called(object: &str, name: &str) -> bool {
    match object.strip_prefix(name) {
        Some("") => true,
        Some(rest) => rest
            .strip_prefix('_')
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())),
        None => false,
    }
}

impl NativeCall<'_> {
    /// The bytes of an input. `function` is who asks.
    pub(super) fn input(
        &mut self,
        function: &str,
        name: &str,
        size: u64,
    ) -> Result<Vec<u8>, Ending> {
        match &mut self.library.inputs {
            Some(inputs) => Ok(inputs.take(name, size)),
            None => Err(Ending::Wrong(format!(
                "{function} asks for the input {name}, and no test was given"
            ))),
        }
    }

    /// An input of at most 16 bytes as a number.
    pub(super) fn input_number(
        &mut self,
        function: &str,
        name: &str,
        size: u64,
    ) -> Result<u128, Ending> {
        let mut bytes = self.input(function, name, size)?;
        bytes.resize(16, 0);
        let bytes: [u8; 16] = bytes.try_into().expect("just resized");
        Ok(u128::from_le_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(objects: &[(&str, &[u8])]) -> Inputs {
        let owned = objects.iter().map(|(n, b)| (n.to_string(), b.to_vec()));
        Inputs::new(owned.collect())
    }

    #[test]
    fn objects_of_a_name_are_taken_in_order() {
        let mut inputs = inputs(&[("x", &[1]), ("xy", &[9]), ("x_1", &[2]), ("x_2", &[3])]);
        assert_eq!(inputs.take("x", 1), [1]);
        assert_eq!(inputs.take("x", 1), [2]);
        assert_eq!(inputs.take("xy", 1), [9]);
        assert_eq!(inputs.take("x", 1), [3]);
        assert_eq!(inputs.misfit(), None);
    }

    #[test]
    fn what_is_missing_is_zeros_and_the_first_such_place_is_noted() {
        let mut inputs = inputs(&[("x", &[1, 2]), ("x_", &[7]), ("x_a", &[7])]);
        assert_eq!(inputs.take("x", 4), [1, 2, 0, 0]);
        assert_eq!(inputs.take("x", 2), [0, 0]);
        let misfit = inputs.misfit().expect("noted");
        assert!(misfit.contains("x has 2 bytes"), "{misfit}");
    }
}
