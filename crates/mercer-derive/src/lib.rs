//! What a struct whose fields are parameters gives a Rust program.
//!
//! | derive | what it makes |
//! |---|---|
//! | `Parameters` | for each field a setter of its name, which takes what converts into the type of the field |
//! | `Formula` | of the `text` block of the doc comment the constant `FORMULA`, so that rustdoc and the catalogue say the same |
//!
//! Setters of a composition are methods of `Composed`, which holds its parts: `#[parameters(composed)]`.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Attribute, Data, DeriveInput, Expr, ExprLit, Field, Fields, Lit, LitStr, Meta, Result, Type};

/// A setter for each field.
#[proc_macro_derive(Parameters, attributes(parameters))]
pub fn parameters(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = syn::parse_macro_input!(input as DeriveInput);
    expand(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// The formula of the doc comment.
#[proc_macro_derive(Formula)]
pub fn formula(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let DeriveInput { ident: name, attrs, .. } = syn::parse_macro_input!(input as DeriveInput);
    let missing = || syn::Error::new_spanned(&name, "its doc comment has no text block with the formula");
    match text_block(&attrs).ok_or_else(missing) {
        Ok(text) => quote! {
            impl #name {
                /// The text block of the doc comment, on one line.
                pub(crate) const FORMULA: &'static str = #text;
            }
        },
        Err(error) => error.to_compile_error(),
    }
    .into()
}

fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else { return Err(syn::Error::new_spanned(input, "parameters are the fields of a struct")) };
    let fields: Vec<Setter<'_>> = match &data.fields {
        Fields::Named(named) => named.named.iter().filter_map(Setter::of).collect(),
        other => return Err(syn::Error::new_spanned(other, "a parameter needs a name")),
    };
    let name = &input.ident;
    let is_composed = input.attrs.iter().any(|a| a.path().is_ident("parameters"));
    let (owner, place) =
        if is_composed { (quote!(crate::kernels::Composed<#name>), quote!(self.how)) } else { (quote!(#name), quote!(self)) };
    let setters = fields.iter().map(|field| field.method(&place));
    let checks = (!is_composed).then(|| {
        let each = fields.iter().map(Setter::check);
        quote! {
            #[cfg(test)]
            impl crate::param::HasSetters for #name {
                const SETTERS: &'static [crate::param::Setter<Self>] = &[#(#each),*];
            }
        }
    });
    Ok(quote! {
        impl #owner {
            #(#setters)*
        }
        #checks
    })
}

/// A field as a method.
struct Setter<'a> {
    field: &'a Field,
    name: &'a Ident,
}

impl<'a> Setter<'a> {
    fn of(field: &'a Field) -> Option<Self> {
        field.ident.as_ref().map(|name| Setter { field, name })
    }

    fn method(&self, place: &TokenStream) -> TokenStream {
        let (name, ty) = (self.name, &self.field.ty);
        let (argument, value) = match last_segment(ty).as_deref() {
            Some("bool") => (quote!(bool), quote!(#name)),
            Some("Vec") => (quote!(impl IntoIterator<Item = impl Into<String>>), quote!(#name.into_iter().map(Into::into).collect())),
            _ => (quote!(impl Into<#ty>), quote!(#name.into())),
        };
        let about = match (doc(&self.field.attrs).trim(), last_segment(ty).as_deref()) {
            ("", Some("Value")) => format!("Sets `{name}`: a number, `auto()`, or a range to search such as `0.1..10.0`."),
            ("", _) => format!("Sets `{name}`."),
            (text, _) => format!("Sets `{name}`. {text}"),
        };
        quote! {
            #[doc = #about]
            #[must_use]
            pub fn #name(mut self, #name: #argument) -> Self {
                #place.#name = #value;
                self
            }
        }
    }

    /// The name of the parameter: that of the field, unless serde has another, as where it is a keyword of Rust.
    fn parameter(&self) -> String {
        let mut name = self.name.to_string();
        for attribute in self.field.attrs.iter().filter(|a| a.path().is_ident("serde")) {
            // What is wrong with it serde says.
            let _ = attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("rename") {
                    name = meta.value()?.parse::<LitStr>()?.value();
                }
                Ok(())
            });
        }
        name
    }

    /// The name, and a function that takes the value over from another owner by the setter.
    fn check(&self) -> TokenStream {
        let (name, text) = (self.name, self.parameter());
        quote!((#text, |to, from| to.#name(from.#name.clone())))
    }
}

/// The name of a type without its path and arguments.
fn last_segment(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    path.path.segments.last().map(|segment| segment.ident.to_string())
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

/// What stands in the text block of the doc comment, its lines joined.
fn text_block(attributes: &[Attribute]) -> Option<String> {
    let text = doc(attributes);
    let (_, block) = text.split_once("```text\n")?;
    let (block, _) = block.split_once("```")?;
    Some(block.split_whitespace().collect::<Vec<_>>().join(" "))
}
