//! What cannot be is named in a sentence, and mended; nothing small panics.

use vivarium::labs;
use vivarium::labs::groups::probes::{COSETS, PROGRESS};
use vivarium::labs::parity::probes::{ATTENTION, GAP, SPECTRUM};
use vivarium::permalink::{decode, encode};
use vivarium::probing::Probe;
use vivarium::protocol::RunError;
use vivarium::run::RunSpec;
use vivarium::tasks::groups::GroupOperation;
use vivarium::training::launch::device::Device;
use vivarium::training::session::{Options, Session};

use super::{PROBES, block_on};

/// The notices of a link, each as its sentence; what the link gives instead must run.
fn notices(link: &str) -> Vec<String> {
    let (found, notices) = decode(link);
    assert!(found.spec.invalid_settings().is_empty(), "{link}: {:?}", found.spec.invalid_settings());
    assert!(decode(&encode(&found)).1.is_empty(), "{link} is mended once for all");
    notices.iter().map(ToString::to_string).collect()
}

fn only(link: &str) -> String {
    let mut notices = notices(link);
    assert_eq!(notices.len(), 1, "{link}: {notices:?}");
    notices.remove(0)
}

/// Two steps of a run on the processor.
fn two_steps(spec: &RunSpec) -> Session {
    let mut short = spec.clone();
    short.parse("steps", "2").unwrap();
    let mut session = Session::start(&short, &Device::cpu(), Options::default()).unwrap();
    let outcome = block_on(session.finish(|_| {})).unwrap();
    assert_eq!(outcome.step, 2);
    session
}

#[test]
fn tables_of_no_group_are_refused_by_their_violation() {
    // Loops of order 5: without two-sided inverses, and with brackets that matter.
    let no_inverse = "0.1.2.3.4.1.0.3.4.2.2.4.1.0.3.3.2.4.1.0.4.3.0.2.1";
    let brackets = "0.1.2.3.4.1.0.3.4.2.2.4.0.1.3.3.2.4.0.1.4.3.1.2.0";
    for (table, violation) in [
        ("0.1.1.1", "row 1 has 1 twice"),
        ("0.1.0.1", "column 0 has 0 twice"),
        ("0.1.1.5", "1·1 = 5, which is not an element"),
        ("0.2.1.1.0.2.2.1.0", "no identity"),
        (no_inverse, "2 has no inverse: 2·3 = 0, but 3·2 = 4"),
        (brackets, "(1·1)·2 = 2, but 1·(1·2) = 4"),
        // Names are numbered as they occur.
        ("e,r;r,r", "row 1 has 1 twice"),
    ] {
        let said = only(&format!("#v1/groups?op=table&table={table}"));
        assert!(said.starts_with("table = ") && said.contains(violation), "{table}: {said}");
    }
    for table in ["", "0.1.1", "0.1.2.3.4", "0.1.1.1000"] {
        let said = only(&format!("#v1/groups?op=table&table={table}"));
        assert!(said.contains("the entries of a square table of at most 24 rows"), "{table}: {said}");
    }
    let mended = decode("#v1/groups?op=table&table=0.1.1.1").0.spec;
    assert_eq!(mended.task.examples().inputs(), 4, "the table of the default");
    two_steps(&mended);
}

#[test]
fn tables_of_groups_are_taken_however_they_are_written() {
    for table in ["0.1.1.0", "1%202%0A2%201", "e,r;r,e", "1.0.0.1"] {
        let (link, notices) = decode(&format!("#v1/groups?op=table&table={table}"));
        assert!(notices.is_empty(), "{table}: {notices:?}");
        assert_eq!(link.spec.task.examples().inputs(), 2);
        assert_eq!(decode(&encode(&link)), (link.clone(), vec![]));
        two_steps(&link.spec);
    }
}

#[test]
fn models_losses_and_batches_that_do_not_suit_are_named() {
    let on_pairs = "expected one of group-net, modular-transformer, embedding-mlp, own for this task";
    assert_eq!(only("#v1/groups?model=mlp"), format!("model = mlp: {on_pairs}"));
    let said = only("#v1/sparse-parity?model=group-net");
    assert!(said.starts_with("model = group-net: expected one of mlp, "), "{said}");
    assert!(said.ends_with(" for this task") && !said["model = group-net".len()..].contains("group-net"));
    assert_eq!(only("#v1/groups?loss=hinge"), "loss = hinge: expected ce, since the labels are classes");
    let fresh = "batch = 0: expected at least 1, because a batch of 0 means the fixed training sample, but this run draws new examples at every step";
    assert_eq!(only("#v1/sparse-parity?batch=0"), fresh);
    assert!(notices("#v1/sparse-parity?batch=0&m=100").is_empty(), "a finite sample can be taken whole");
    let dihedral = only("#v1/groups?op=dihedral&n=100");
    assert_eq!(dihedral, "n = 100: expected at most 64, because D_n has 2n elements");
    let product = only("#v1/groups?op=product&factors=16.9");
    assert_eq!(product, "factors = 144 elements: expected a product group with at most 128 elements");
}

/// A specification that was not mended is refused by the session in the same words.
#[test]
fn sessions_refuse_what_links_mend() {
    for (lab, key, value) in [
        ("groups", "model", "mlp"),
        ("groups", "loss", "hinge"),
        ("sparse-parity", "model", "embedding-mlp"),
        ("sparse-parity", "batch", "0"),
    ] {
        let mut spec = RunSpec::default_of_lab(lab).unwrap();
        spec.parse(key, value).unwrap();
        match Session::start(&spec, &Device::cpu(), Options::default()) {
            Err(RunError::Impossible(said)) => {
                assert!(said.starts_with(&format!("{key} = {value}: ")), "{said}")
            }
            Err(other) => panic!("{lab}, {key} = {value}: {other}"),
            Ok(_) => panic!("{lab}, {key} = {value} was taken"),
        }
    }
}

/// However large, what a link asks for is mended until it can run.
#[test]
fn the_largest_runs_are_mended() {
    for link in [
        "#v1/groups?n=128&width=4096&replicas=4096",
        "#v1/groups?n=128&model=modular-transformer&dmlp=4096&replicas=4096&batch=4096",
        "#v1/groups?n=128&model=modular-transformer&heads=128&dattn=64",
        "#v1/groups?n=128&model=embedding-mlp&demb=1024&width=4096&replicas=100",
    ] {
        notices(link);
    }
}

/// The smallest runs of every operation.
fn small_links() -> Vec<String> {
    let mut links = vec![];
    for operation in GroupOperation::ALL {
        let sizes: Vec<String> = match operation {
            GroupOperation::Symmetric => ["2", "3", "4"].map(|k| format!("&letters={k}")).to_vec(),
            // Of two letters only one permutation is even.
            GroupOperation::Alternating => ["2", "3", "4"].map(|k| format!("&letters={k}")).to_vec(),
            GroupOperation::Product => ["2", "3", "2.3"].map(|f| format!("&factors={f}")).to_vec(),
            GroupOperation::Quaternion => vec![String::new()],
            GroupOperation::Table => ["0", "0.1.1.0"].map(|table| format!("&table={table}")).to_vec(),
            _ => ["2", "3", "4", "5"].map(|n| format!("&n={n}")).to_vec(),
        };
        links.extend(sizes.iter().map(|size| format!("#v1/groups?op={}{size}", operation.slug())));
    }
    links
}

#[test]
fn nothing_small_panics() {
    for link in small_links() {
        for model in [
            "width=3",
            "model=modular-transformer&demb=4&dattn=2&heads=2&dmlp=3",
            "model=embedding-mlp&demb=2&width=3",
        ] {
            for share in ["", "&frac=0.01", "&frac=0.5&batch=3", "&learner=autodiff&replicas=2"] {
                let link = format!("{link}&{model}{share}");
                let (found, notices) = decode(&link);
                assert!(notices.is_empty(), "{link}: {notices:?}");
                let session = two_steps(&found.spec);
                (labs::lazy_lab(&found.spec).largest_margin)(&found.spec, None);
                let weights = block_on(session.first_replica()).unwrap();
                for probe in PROBES {
                    if (probe.applies)(&found.spec).is_ok()
                        && let Some(mut job) =
                            labs::new_probe_job(&probe.id(), &found.spec, 2, weights.clone(), vec![])
                    {
                        assert!(job.advance(f64::INFINITY).is_some(), "{link}: {probe:?}");
                    }
                }
            }
        }
    }
}

/// What is not a number is looked at without harm.
#[test]
fn broken_weights_are_probed_without_a_panic() {
    for link in ["#v1/groups?n=5&width=4&frac=0.5", "#v1/groups?op=symmetric&width=4"] {
        let spec = crate::spec(link);
        for value in [f32::NAN, f32::INFINITY, 0.0] {
            let weights: Vec<Vec<f32>> =
                spec.initialize_parameters().iter().map(|p| vec![value; p.len()]).collect();
            for probe in PROBES.into_iter().filter(|probe| (probe.applies)(&spec).is_ok()) {
                let mut job = labs::new_probe_job(&probe.id(), &spec, 0, weights.clone(), vec![]).unwrap();
                assert!(job.advance(f64::INFINITY).is_some(), "{link}: {probe:?} of {value}");
            }
        }
    }
}

#[test]
fn probes_that_do_not_apply_say_why() {
    let said = |link: &str, probe: Probe| (probe.applies)(&crate::spec(link)).unwrap_err();
    for probe in PROBES {
        let expected = "Available only for networks with pairs of elements as inputs.";
        assert_eq!(said("#v1/sparse-parity", probe), expected);
    }
    for probe in [GAP, SPECTRUM, ATTENTION] {
        assert_eq!(said("#v1/groups", probe), "Available only for networks with bits as inputs.");
    }
    for operation in ["mul", "dihedral", "random", "table"] {
        let said = said(&format!("#v1/groups?op={operation}"), PROGRESS);
        assert!(said.contains("addition and subtraction"), "{said}");
    }
    assert!(said("#v1/groups?model=modular-transformer", COSETS).contains("attention"));
}
