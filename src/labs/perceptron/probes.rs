//! Probe of the student's overlap with the teacher.

use vivarium_model::protocol::ProbeResult;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Task, TeacherStudent};
use vivarium_view::probing::{Probe, ProbeSpec, ProbedNetwork, SinglePassMeasurement};

/// Cosine R of the angle between the weights of student and teacher, for networks with a single linear unit; NaN while
/// the student's weights are zero.
pub const OVERLAP: Probe = Probe { name: "overlap", applies };

/// Probes of the lab on student and teacher: only [`OVERLAP`], the cosine of their weights.
pub const PROBES: &[ProbeSpec] =
    &[ProbeSpec::new(OVERLAP, |_| Some(Box::new(SinglePassMeasurement(measure_overlap))))];

/// Task of a run whose labels come from a linear teacher; `None` for other tasks.
pub fn teacher_task(spec: &RunSpec) -> Option<&TeacherStudent> {
    match &spec.task {
        Task::TeacherStudent(task) => Some(task),
        _ => None,
    }
}

/// Returns an error message if the overlap cannot be measured: unless the labels come from a linear teacher and the
/// network is a single linear unit.
fn applies(spec: &RunSpec) -> Result<(), String> {
    match spec.parameters().first() {
        _ if teacher_task(spec).is_none() => {
            Err(tr!("The overlap is defined only for runs with a teacher.").into())
        }
        Some(first) if first.shape[2] == 1 => Ok(()),
        _ => Err(tr!("The overlap needs a network with a single linear unit.").into()),
    }
}

/// Cosine of the angle between the weight vectors of student and teacher; NaN if either is zero.
pub fn compute_overlap(student: &[f32], teacher: &[f64]) -> f64 {
    let (mut both, mut own, mut of_teacher) = (0.0, 0.0, 0.0);
    for (w, t) in student.iter().map(|w| f64::from(*w)).zip(teacher) {
        both += w * t;
        own += w * w;
        of_teacher += t * t;
    }
    both / libm::sqrt(own * of_teacher)
}

/// Measures [`OVERLAP`] for the first network: the cosine between its weights and the teacher's.
fn measure_overlap(network: &ProbedNetwork) -> Option<ProbeResult> {
    let teacher = teacher_task(&network.spec)?.teacher(network.spec.run.seed);
    let found = compute_overlap(network.weights.first()?, &teacher);
    Some(ProbeResult::new(OVERLAP.id()).with_few_numbers([found]))
}
