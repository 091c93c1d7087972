//! What the structs and enums of parameters are made of.
//!
//! | derive | what it makes |
//! |---|---|
//! | `Parameters` | of the attributes `param` of the fields the records of parameters, their defaults, access to each by its place, and for each a setter of its name, which takes what converts into the type of the field |
//! | `Choice` | of the variants of an enum the words of a parameter |
//! | `Formula` | of the `text` block of the doc comment the constant `FORMULA`, so that rustdoc and the catalogue say the same |
//!
//! Setters of a composition are methods of `Composed`, which holds its parts: `#[parameters(composed)]`. Fields that are written otherwise
//! than by their names are no parameters: `#[parameters(none)]`.

mod choice;
mod parameters;

use quote::quote;
use syn::{Attribute, DeriveInput, Expr, ExprLit, Lit, LitStr, Meta, Result};

/// Records, defaults, access and setters of the parameters that the fields are.
#[proc_macro_derive(Parameters, attributes(param, parameters))]
pub fn parameters(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derived(input, parameters::expand)
}

/// The words that the variants are.
#[proc_macro_derive(Choice)]
pub fn choice(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derived(input, choice::expand)
}

/// The formula of the doc comment.
#[proc_macro_derive(Formula)]
pub fn formula(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derived(input, |DeriveInput { ident: name, attrs, .. }| {
        let missing = || syn::Error::new_spanned(name, "its doc comment has no text block with the formula");
        let text = text_block(attrs).ok_or_else(missing)?;
        Ok(quote! {
            impl #name {
                /// The text block of the doc comment, on one line.
                pub(crate) const FORMULA: &'static str = #text;
            }
        })
    })
}

fn derived(input: proc_macro::TokenStream, expand: impl Fn(&DeriveInput) -> Result<proc_macro2::TokenStream>) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// The name that serde has for a field or a variant, where it is another one.
fn renamed(attributes: &[Attribute]) -> Option<String> {
    let mut name = None;
    for attribute in attributes.iter().filter(|a| a.path().is_ident("serde")) {
        // What is wrong with it serde says.
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("rename") {
                name = Some(meta.value()?.parse::<LitStr>()?.value());
            }
            Ok(())
        });
    }
    name
}

/// The doc comment among attributes.
fn doc(attributes: &[Attribute]) -> String {
    let line = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    };
    attributes.iter().filter_map(line).collect::<Vec<_>>().join("\n")
}

/// The doc comment on one line.
fn sentence(attributes: &[Attribute]) -> String {
    doc(attributes).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What stands in the text block of the doc comment, its lines joined.
fn text_block(attributes: &[Attribute]) -> Option<String> {
    let text = doc(attributes);
    let (_, block) = text.split_once("```text\n")?;
    let (block, _) = block.split_once("```")?;
    Some(block.split_whitespace().collect::<Vec<_>>().join(" "))
}
