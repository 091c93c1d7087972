//! `mercer completions` and `mercer man`: completion scripts and the manual page, from the same records as `--help`.

use super::{Run, done};
use crate::Stop;
use crate::args::Arguments;
use crate::output::print_bytes;
use clap::Args;
use clap::CommandFactory;
use clap_complete::Shell;
use mercer::error::{Error, Result};
use std::process::ExitCode;

const COMPLETIONS: &str = "\
Examples:
  mercer completions bash > ~/.local/share/bash-completion/completions/mercer
  mercer completions zsh > ~/.zfunc/_mercer
  mercer completions fish > ~/.config/fish/completions/mercer.fish";

/// Print a script that completes commands and options in a shell.
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS)]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

impl Run for Completions {
    fn run(&self, _: &Stop) -> Result<ExitCode> {
        completions(self).map(done)
    }
}

const MAN: &str = "\
Examples:
  mercer man | man -l -
  mercer man fit > ~/.local/share/man/man1/mercer-fit.1";

/// Print the manual page of mercer or of one command.
#[derive(Debug, Args)]
#[command(after_help = MAN)]
pub(crate) struct Man {
    /// Command; mercer itself if left out.
    pub command: Option<String>,
}

impl Run for Man {
    fn run(&self, _: &Stop) -> Result<ExitCode> {
        man(self).map(done)
    }
}

fn completions(args: &Completions) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "mercer", &mut script);
    print_bytes(&script)
}

fn man(args: &Man) -> Result<()> {
    let mut all = Arguments::command();
    all.build();
    let page = match &args.command {
        None => all,
        Some(name) => {
            let known: Vec<String> = all.get_subcommands().map(|c| c.get_name().to_owned()).collect();
            let found = all.find_subcommand(name).cloned().ok_or_else(|| Error::unknown("command", name, known))?;
            found.display_name(format!("mercer-{name}"))
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text).map_err(|e| Error::io("man page", e))?;
    print_bytes(&text)
}
