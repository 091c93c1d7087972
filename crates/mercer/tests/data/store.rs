//! The model file: what was fitted comes back to the bit, damage is noticed, and no file is half written.

use crate::stored;

use mercer::control::Control;
use mercer::data::{Dataset, Target};
use mercer::error::Error;
use mercer::estimators::{EstimatorExpr, Needs, catalogue};
use mercer::learner::Learner;
use mercer::linalg::Matrix;
use mercer::read::TargetInfo;
use mercer::store;
use stored::*;

// asks: U-50
#[test]
fn a_model_of_a_mixed_table_predicts_the_same_bits_after_it_was_stored() {
    let folder = tempfile::tempdir().unwrap();
    // There is no column of sets.
    for entry in catalogue().into_iter().filter(|entry| entry.needs != Needs::Vectors) {
        let estimator = estimator(entry.name);
        let classes = mixed(&["label"], 60);
        // A column of numbers is left to those that read coordinates.
        let targets: &[&str] = if entry.needs == Needs::Coordinates { &["length"] } else { &["length", "width"] };
        let [none, numbers] = [&[][..], targets].map(|names| mixed(names, 60));
        let suits = |made: &(Dataset, Target, TargetInfo)| estimator.takes(&made.1);
        let (data, target, info) = [classes, numbers, none].into_iter().find(suits).unwrap();
        let model = fit(&Learner::new(estimator), &data, &target, &info);
        let path = folder.path().join(format!("{}.mercer", entry.name));
        store::save(&model, &path).unwrap();
        let back = store::load(&path).unwrap();
        assert_eq!(back, model, "{}", entry.name);
        let names: Vec<&str> = info.names.iter().map(String::as_str).collect();
        let (new, ..) = mixed(&names, 100);
        assert_eq!(predict(&back, &new), predict(&model, &new), "{}", entry.name);
    }
}

#[test]
fn sparse_points_and_several_outputs_come_back_as_they_were() {
    let data = sparse(30);
    // There is no column of sets.
    for entry in catalogue().into_iter().filter(|entry| entry.needs != Needs::Vectors) {
        for outputs in [0, 3] {
            let estimator = estimator(entry.name);
            let (target, info) = some_target(&estimator, 30, outputs);
            if !estimator.takes(&target) {
                continue;
            }
            if entry.needs == Needs::Coordinates {
                let refused = Learner::new(estimator).fit(&data, &target, &info, None, &Control::default());
                assert!(refused.unwrap_err().to_string().contains("sparse"), "{}", entry.name);
                continue;
            }
            let model = fit(&Learner::new(estimator), &data, &target, &info);
            let back = store::from_bytes(&store::to_bytes(&model).unwrap(), "m").unwrap();
            assert_eq!(back, model, "{}", entry.name);
            assert_eq!(predict(&back, &sparse(40)), predict(&model, &sparse(40)), "{}", entry.name);
        }
    }
}

#[test]
fn a_file_cut_off_anywhere_is_refused() {
    for text in ["svc(c=1)", "gp(noise=0.1, variance=1)"] {
        let bytes = store::to_bytes(&small(text).0).unwrap();
        for length in 0..bytes.len() {
            refused(&bytes[..length]);
        }
        refused(&[bytes, vec![0]].concat());
    }
}

#[test]
fn a_file_with_any_bit_flipped_is_refused() {
    let mut bytes = store::to_bytes(&small("ridge(lambda=0.5)").0).unwrap();
    for bit in 0..8 * bytes.len() {
        bytes[bit / 8] ^= 1 << (bit % 8);
        refused(&bytes);
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    assert!(store::from_bytes(&bytes, "m").is_ok());
}

#[test]
fn what_is_no_model_file_is_told_from_a_damaged_one() {
    assert!(refused(b"a,b\n1,2\n3,4\n5,6\n7,8\n").contains("does not start like a model file"));
    assert!(refused(b"MERCER99............").contains("another version"));
    assert!(refused(b"").contains("0 bytes"));
    assert!(matches!(store::load(std::path::Path::new("no/such/file")), Err(Error::Io { .. })));
}

// asks: U-56
#[test]
fn a_model_with_a_number_that_is_not_finite_cannot_be_written() {
    let (model, _) = small("svc");
    let fine = store::to_bytes(&model).unwrap();
    for bad in [f64::NAN, f64::INFINITY] {
        let mut broken = model.clone();
        let mercer::estimators::FittedModel::Svc(svc) = &mut broken.fitted else { panic!("an svc was fitted") };
        svc.expansion.bias[0] = bad;
        assert!(matches!(store::to_bytes(&broken), Err(Error::Numerical { .. })), "a bias of {bad}");
        let mut broken = model.clone();
        let mercer::estimators::FittedModel::Svc(svc) = &mut broken.fitted else { panic!("an svc was fitted") };
        svc.expansion.coef[(0, 0)] = bad;
        assert!(matches!(store::to_bytes(&broken), Err(Error::Numerical { .. })), "a coefficient of {bad}");
        // JSON knows no such number, and what it writes instead reads back as none.
        let mut broken = model.clone();
        broken.about.tuning.as_mut().unwrap().value = Some(bad);
        assert!(matches!(store::to_bytes(&broken), Err(Error::Numerical { .. })), "a criterion of {bad}");
    }
    assert_eq!(store::to_bytes(&model).unwrap(), fine);
    let (data, info) = (sparse(4), TargetInfo { names: vec!["t".into()], classes: None, labels: Default::default() });
    let target = Target::Numbers(Matrix::column(vec![1.0, f64::NAN, 2.0, 3.0]));
    for entry in catalogue() {
        let estimator = EstimatorExpr::parse(entry.name).unwrap();
        if estimator.takes(&target) {
            let fitted = Learner::new(estimator).fit(&data, &target, &info, None, &Control::default());
            assert!(fitted.and_then(|m| store::to_bytes(&m)).is_err(), "{}: a target that is not a number was learnt", entry.name);
        }
    }
}

fn files(folder: &std::path::Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_write_that_fails_leaves_nothing_behind_and_the_old_file_as_it_was() {
    let (model, _) = small("knn(k=3)");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.mercer");
    // Where a folder stands.
    std::fs::create_dir(&path).unwrap();
    assert!(matches!(store::save(&model, &path), Err(Error::Io { .. })));
    assert_eq!(files(folder.path()), ["model.mercer"]);
    // In a folder that is not there, and below a file.
    assert!(matches!(store::save(&model, folder.path().join("none").join("m")), Err(Error::Io { .. })));
    std::fs::remove_dir(&path).unwrap();
    store::save(&model, &path).unwrap();
    assert!(matches!(store::save(&model, path.join("m")), Err(Error::Io { .. })));
    // In a folder that must not be written; a superuser may write everywhere.
    let before = std::fs::read(&path).unwrap();
    let mut rights = std::fs::metadata(folder.path()).unwrap().permissions();
    rights.set_readonly(true);
    std::fs::set_permissions(folder.path(), rights.clone()).unwrap();
    let other = small("knn(k=1)").0;
    match store::save(&other, &path) {
        Err(e) => assert!(matches!(e, Error::Io { .. }) && std::fs::read(&path).unwrap() == before),
        Ok(()) => {
            println!("this user may write to a folder without write permission: that part was not tried");
            assert_eq!(store::load(&path).unwrap(), other);
        }
    }
    #[allow(clippy::permissions_set_readonly_false, reason = "the folder is a temporary one of this test")]
    rights.set_readonly(false);
    std::fs::set_permissions(folder.path(), rights).unwrap();
    assert_eq!(files(folder.path()), ["model.mercer"]);
}
