//! `mercer completions` and `mercer man`: what shells and `man` are told, from the same records as `--help`.

use crate::args::{Arguments, Completions, Man};
use crate::output::print_bytes;
use clap::CommandFactory;
use mercer::error::{Error, Result};

pub(crate) fn completions(args: &Completions) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "mercer", &mut script);
    print_bytes(&script)
}

pub(crate) fn man(args: &Man) -> Result<()> {
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
