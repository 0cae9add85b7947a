//! What goes wrong, as exceptions with the sentences that the page and the command line say.

use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use vivarium_cli::Trouble;
use vivarium_model::protocol::Failure;

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

/// The exception for these sentences about a link.
pub fn bad_link(py: Python<'_>, sentences: Vec<String>) -> PyErr {
    let error = LinkError::new_err(sentences.join("\n"));
    match error.value(py).setattr("sentences", sentences) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// The exception for this trouble.
pub fn exception(py: Python<'_>, trouble: Trouble) -> PyErr {
    match trouble {
        Trouble::BadLink(sentences) => bad_link(py, sentences),
        Trouble::Run(Failure::Impossible(why)) => bad_link(py, vec![why]),
        Trouble::Run(failure) => TrainingError::new_err(failure.to_string()),
        Trouble::Stopped(sentence, _) => PyKeyboardInterrupt::new_err(sentence),
        Trouble::Other(error) => {
            let sentence = format!("{error:#}");
            match error.root_cause().is::<std::io::Error>() {
                true => PyOSError::new_err(sentence),
                false => TrainingError::new_err(sentence),
            }
        }
    }
}
