//! `mercer examples`: the built-in tables.

use crate::args::Examples;
use crate::output::print;
use mercer::error::Result;
use mercer::read::{EXAMPLES, example};

pub(crate) fn examples(args: &Examples) -> Result<()> {
    match &args.name {
        Some(name) => print(&example(name)?.csv()),
        None => {
            let lines = EXAMPLES.iter().map(|e| format!("example:{} (target {})\n  {}\n", e.name, e.target, e.about));
            print(&lines.collect::<String>())
        }
    }
}
