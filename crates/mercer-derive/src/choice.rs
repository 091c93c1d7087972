//! `Choice`: the variants of an enum as the words of a parameter.

use crate::renamed;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Fields, Result};

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(data) = &input.data else { return Err(Error::new_spanned(input, "words are the variants of an enum")) };
    if let Some(variant) = data.variants.iter().find(|variant| !matches!(variant.fields, Fields::Unit)) {
        return Err(Error::new_spanned(variant, "a word holds nothing"));
    }
    let name = &input.ident;
    let variants = data.variants.iter().map(|variant| &variant.ident);
    let words = data.variants.iter().map(|variant| renamed(&variant.attrs).unwrap_or_else(|| snake_case(&variant.ident.to_string())));
    Ok(quote! {
        impl ::mercer::param::Choice for #name {
            const WORDS: &'static [&'static str] = &[#(#words),*];
            const VARIANTS: &'static [Self] = &[#(Self::#variants),*];
        }
    })
}

/// As serde writes it: `SquaredHinge` is `squared_hinge`.
fn snake_case(name: &str) -> String {
    let mut word = String::new();
    for (at, letter) in name.char_indices() {
        if letter.is_uppercase() && at > 0 {
            word.push('_');
        }
        word.extend(letter.to_lowercase());
    }
    word
}
