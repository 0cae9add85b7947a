//! Errors as Python exceptions, with the messages of the page and of the command line.

use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use vivarium_cli::CommandError;
use vivarium_model::protocol::RunError;

create_exception!(
    vivarium,
    LinkError,
    PyValueError,
    "A link, a setting or a chart that cannot be used; `sentences` has one sentence for each reason."
);
create_exception!(vivarium, TrainingError, PyRuntimeError, "Training cannot start, or cannot go on.");
create_exception!(
    vivarium,
    Diverged,
    TrainingError,
    "The loss of every network is infinite or NaN. The run keeps its measurements and the last finite weights."
);

/// The Python exception `LinkError` with these messages, one for each reason why a link, setting or chart cannot be
/// used.
pub fn link_error(py: Python<'_>, sentences: Vec<String>) -> PyErr {
    let error = LinkError::new_err(sentences.join("\n"));
    match error.value(py).setattr("sentences", sentences) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// The Python exception that stands for an error of the command line: `LinkError`, `TrainingError`,
/// `KeyboardInterrupt` or `OSError`.
pub fn to_exception(py: Python<'_>, error: CommandError) -> PyErr {
    match error {
        CommandError::BadLink(sentences) => link_error(py, sentences),
        CommandError::Run(RunError::Impossible(why)) => link_error(py, vec![why]),
        CommandError::Run(failure) => TrainingError::new_err(failure.to_string()),
        CommandError::Stopped(sentence, _) => PyKeyboardInterrupt::new_err(sentence),
        CommandError::Other(error) => {
            let sentence = format!("{error:#}");
            match error.root_cause().is::<std::io::Error>() {
                true => PyOSError::new_err(sentence),
                false => TrainingError::new_err(sentence),
            }
        }
    }
}
