//! LIBSVM's text in batches: what all rows have together is found in a pass of its own.

use super::super::format;
use super::super::libsvm::{SparseForm, Survey};
use super::parts::TextParts;
use crate::control::Control;
use crate::error::Result;

/// What all rows of a file have together. A part that changes how the parts before it are to be read begins the pass anew.
pub(super) fn survey(parts: &TextParts<'_>, control: &Control) -> Result<Survey> {
    let (file, most) = (parts.path.display().to_string(), control.max_memory);
    let mut form = SparseForm::default();
    loop {
        let mut survey = Survey::of(form);
        let (mut lines, mut again) = (0, false);
        parts.each(control, |bytes| {
            let text = format::sparse_text(&file, bytes)?;
            control.tell("looking for columns", lines, lines);
            while !again {
                let found = survey.add(&file, &text, lines, most)?;
                if found == form {
                    break;
                }
                form = found;
                survey = Survey::of(form);
                again = lines > 0;
            }
            lines += text.matches('\n').count();
            Ok(lines)
        })?;
        if !again {
            survey.check(&file, most)?;
            return Ok(survey);
        }
    }
}
