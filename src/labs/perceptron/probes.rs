//! What is measured of students: their overlap with the teacher.

use vivarium_model::protocol::Finding;
use vivarium_model::run::RunSpec;
use vivarium_model::tasks::{Task, TeacherStudent};
use vivarium_view::probing::{AtOnce, Probe, ProbeSpec, Probed};

/// The cosine R of the angle between the weights of student and teacher; not a number while the student has none. For
/// networks with one linear form of the inputs.
pub const OVERLAP: Probe = Probe { name: "overlap", applies };

/// All of them.
pub const PROBES: &[ProbeSpec] = &[ProbeSpec { probe: OVERLAP, job: |_| Some(Box::new(AtOnce(measure))) }];

/// The task of a run with a teacher.
pub fn task(spec: &RunSpec) -> Option<&TeacherStudent> {
    match &spec.task {
        Task::TeacherStudent(task) => Some(task),
        _ => None,
    }
}

fn applies(spec: &RunSpec) -> Result<(), String> {
    match spec.parameters().first() {
        _ if task(spec).is_none() => Err(tr!("The overlap is defined only for runs with a teacher.").into()),
        Some(first) if first.shape[2] == 1 => Ok(()),
        _ => Err(tr!("The overlap needs a network with a single linear unit.").into()),
    }
}

/// The cosine of the angle between two vectors.
pub fn overlap(student: &[f32], teacher: &[f64]) -> f64 {
    let (mut both, mut own, mut of_teacher) = (0.0, 0.0, 0.0);
    for (w, t) in student.iter().map(|w| f64::from(*w)).zip(teacher) {
        both += w * t;
        own += w * w;
        of_teacher += t * t;
    }
    both / libm::sqrt(own * of_teacher)
}

fn measure(network: &Probed) -> Option<Finding> {
    let teacher = task(&network.spec)?.teacher(network.spec.run.seed);
    let found = overlap(network.weights.first()?, &teacher);
    Some(Finding::of(OVERLAP.id()).with_few([found]))
}
