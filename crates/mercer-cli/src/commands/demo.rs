//! `mercer demo`: the textbook's figures, made again.

use super::Run;
use crate::Stop;
use crate::output::print;
use clap::Args;
use mercer::control::Control;
use mercer::error::Result;
use mercer_demos::{self as demos, DEMOS};
use std::path::PathBuf;
use std::process::ExitCode;

/// List the demonstrations of the textbook's figures, or make one: its figures, and its numbers checked against the expected ones.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mercer demo\n  mercer demo xor -o figures\n  mercer demo 14.11")]
pub(crate) struct Demo {
    /// Name of a demonstration, or the number of a figure of the textbook; the list of them if left out. `all` for every one.
    pub name: Option<String>,
    /// Folder for the figures, created if missing.
    #[arg(short, long = "output", alias = "out", value_name = "FOLDER", default_value = "demo")]
    pub out: PathBuf,
}

impl Run for Demo {
    /// The exit code says whether every number is as expected.
    fn run(&self, stop: &Stop) -> Result<ExitCode> {
        let chosen: Vec<demos::Demo> = match self.name.as_deref() {
            None => {
                let lines = DEMOS.iter().map(|d| format!("{}\n  {}\n", d.title(), d.about));
                return print(&lines.collect::<String>()).map(super::done);
            }
            Some("all") => DEMOS.to_vec(),
            Some(name) => vec![demos::Demo::named(name)?],
        };
        let control = Control { cancel: stop.cancel.clone(), ..Control::default() };
        let mut holds = true;
        for demo in chosen {
            let shown = demo.run(&control)?;
            let mut text = format!("{}: {}\n", demo.title(), demo.about);
            for f in &shown.findings {
                let sign = if f.holds { "ok  " } else { "NOT " };
                text.push_str(&format!("  {sign}{}: {} ({})\n", f.what, f.found, f.expected));
            }
            for path in shown.write(&self.out)? {
                text.push_str(&format!("  {}\n", path.display()));
            }
            print(&text)?;
            holds &= shown.holds();
        }
        Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
