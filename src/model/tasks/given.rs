//! Inputs from a file, checked and converted to rows of a batch.

use super::{Examples, TaskData};

/// Checks the numbers of one input from a file, which may lack its label, and returns a row of
/// [`Batch::x`](super::Batch::x).
///
/// # Errors
/// A sentence that says why the numbers are invalid, or that inputs of this task cannot come from a file.
pub fn input_row(examples: &dyn Examples, mut numbers: Vec<f32>) -> Result<Vec<f32>, String> {
    let (columns, inputs) = (examples.columns(), examples.inputs());
    // Symbols and elements are whole numbers from 0.
    let numbered = |what: &str, numbers: &[f32]| {
        let is_one = |x: &f32| x.fract() == 0.0 && (0.0..inputs as f32).contains(x);
        match numbers.iter().find(|x| !is_one(x)) {
            Some(wrong) => Err(format!("{what} are whole numbers from 0 to {}, not {wrong}", inputs - 1)),
            None => Ok(()),
        }
    };
    let counted = |found: usize, expected: usize| match found == expected {
        true => Ok(()),
        false => Err(format!("an input has {expected} numbers, not {found}")),
    };
    if let Some(wrong) = numbers.iter().find(|x| !x.is_finite()) {
        return Err(format!("an input has finite numbers only, not {wrong}"));
    }
    match examples.data() {
        TaskData::Bits(_) => {
            counted(numbers.len(), columns)?;
            if let Some(wrong) = numbers.iter().find(|x| x.abs() != 1.0) {
                return Err(format!("bits are −1 or 1, not {wrong}"));
            }
        }
        TaskData::Rows => counted(numbers.len(), columns)?,
        TaskData::Pairs => {
            counted(numbers.len(), columns)?;
            numbered("elements", &numbers)?;
        }
        TaskData::Sequences(_) | TaskData::Traces(_) => {
            // The label is not used.
            if numbers.len() != columns {
                counted(numbers.len(), examples.prediction_count())?;
                numbers.push(0.0);
            }
            numbered("symbols", &numbers)?;
        }
        TaskData::Points(_) => counted(numbers.len(), columns)?,
        TaskData::Prompts(_)
        | TaskData::Fit(_)
        | TaskData::Steps(_)
        | TaskData::Circuit(_)
        | TaskData::Program(_) => {
            return Err("inputs of this task cannot be given in a file; without --inputs, the command uses \
                        held-out examples"
                .into());
        }
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permalink::decode;

    fn given(link: &str, numbers: &[f32]) -> Result<Vec<f32>, String> {
        input_row(decode(link).0.spec.task.examples(), numbers.to_vec())
    }

    #[test]
    fn inputs_are_checked_before_a_network_reads_them() {
        let refused = [
            ("#v1/sparse-parity?n=3&k=2", &[1.0, -1.0][..], "an input has 3 numbers, not 2"),
            ("#v1/sparse-parity?n=3&k=2", &[1.0, -1.0, 0.5], "bits are −1 or 1, not 0.5"),
            ("#v1/sparse-parity?n=3&k=2", &[1.0, f32::NAN, 1.0], "an input has finite numbers only, not NaN"),
            ("#v1/groups?n=5", &[1.0, 5.0], "elements are whole numbers from 0 to 4, not 5"),
            ("#v1/markov?k=3&t=4", &[0.0, 1.5, 0.0, 1.0], "symbols are whole numbers from 0 to 2, not 1.5"),
            ("#v1/markov?k=3&t=4", &[0.0, 1.0], "an input has 4 numbers, not 2"),
        ];
        for (link, numbers, why) in refused {
            assert_eq!(given(link, numbers), Err(why.into()), "{link}");
        }
        assert!(given("#v1/turing-machine", &[1.0]).unwrap_err().contains("held-out examples"));
        assert_eq!(given("#v1/groups?n=5", &[1.0, 4.0]), Ok(vec![1.0, 4.0]));
        assert_eq!(given("#v1/sparse-parity?n=2&k=2", &[1.0, -1.0]), Ok(vec![1.0, -1.0]));
        let symbols = [0.0, 2.0, 1.0, 1.0];
        assert_eq!(given("#v1/markov?k=3&t=4", &symbols), Ok([&symbols[..], &[0.0]].concat()));
        let labelled = [0.0, 2.0, 1.0, 1.0, 2.0];
        assert_eq!(given("#v1/markov?k=3&t=4", &labelled), Ok(labelled.to_vec()));
    }
}
