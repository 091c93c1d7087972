//! `Parameters`: records, defaults, access and setters of the fields of a struct.

use crate::{renamed, sentence};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Field, Fields, Result, Token, Type, Visibility};

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else { return Err(Error::new_spanned(input, "parameters are the fields of a struct")) };
    let fields: Vec<ParameterField<'_>> = match &data.fields {
        Fields::Named(named) => named.named.iter().map(ParameterField::of).collect::<Result<_>>()?,
        other => return Err(Error::new_spanned(other, "a parameter needs a name")),
    };
    let name = &input.ident;
    let (generics, ty_generics, bounds) = input.generics.split_for_impl();
    let what = kind(input)?;
    let place = if what == Kind::Composed { quote!(self.how) } else { quote!(self) };
    let owner = if what == Kind::Composed { quote!(::mercer::kernels::Composed<#name #ty_generics>) } else { quote!(#name #ty_generics) };
    let defaults = fields.iter().map(ParameterField::default);
    let parameters: Vec<&ParameterField<'_>> = fields.iter().filter(|field| what != Kind::Hidden && !field.given.hidden).collect();
    let access = if parameters.is_empty() { None } else { Some(access(&parameters)?) };
    let setters = parameters.iter().map(|field| field.setter(&input.vis, &place));
    Ok(quote! {
        impl #generics ::core::default::Default for #name #ty_generics #bounds {
            fn default() -> Self {
                Self { #(#defaults),* }
            }
        }
        impl #generics ::mercer::param::Parameters for #name #ty_generics #bounds {
            #access
        }
        impl #generics #owner #bounds {
            #(#setters)*
        }
    })
}

/// What the fields of a struct are.
#[derive(PartialEq)]
enum Kind {
    /// Parameters.
    Plain,
    /// Parameters of a composition, which `Composed` holds beside its parts: `composed`.
    Composed,
    /// Written otherwise than by their names, such as a power: `none` is a parameter.
    Hidden,
}

fn kind(input: &DeriveInput) -> Result<Kind> {
    let mut found = Kind::Plain;
    for attribute in input.attrs.iter().filter(|a| a.path().is_ident("parameters")) {
        attribute.parse_nested_meta(|meta| {
            found = match &meta.path {
                path if path.is_ident("composed") => Kind::Composed,
                path if path.is_ident("none") => Kind::Hidden,
                path => return Err(Error::new_spanned(path, "expected composed or none")),
            };
            Ok(())
        })?;
    }
    Ok(found)
}

/// The methods of the trait.
fn access(fields: &[&ParameterField<'_>]) -> Result<TokenStream> {
    let records = fields.iter().map(|field| field.record()).collect::<Result<Vec<_>>>()?;
    let names: Vec<&Ident> = fields.iter().map(|field| field.name).collect();
    let places = 0..names.len();
    let mutable_places = places.clone();
    Ok(quote! {
        fn records(&self) -> &'static [::mercer::param::Param] {
            const RECORDS: &[::mercer::param::Param] = &[#(#records),*];
            RECORDS
        }
        fn parameter(&self, place: usize) -> ::core::option::Option<&dyn ::mercer::param::ParameterValue> {
            ::core::option::Option::Some(match place {
                #(#places => &self.#names,)*
                _ => return ::core::option::Option::None,
            })
        }
        fn parameter_mut(&mut self, place: usize) -> ::core::option::Option<&mut dyn ::mercer::param::ParameterValue> {
            ::core::option::Option::Some(match place {
                #(#mutable_places => &mut self.#names,)*
                _ => return ::core::option::Option::None,
            })
        }
    })
}

/// A field that is a parameter.
struct ParameterField<'a> {
    field: &'a Field,
    name: &'a Ident,
    given: Given,
}

/// What the attribute of a field says.
#[derive(Default)]
struct Given {
    /// A record that is shared with other owners.
    shared: Option<TokenStream>,
    default: Option<TokenStream>,
    domain: Option<TokenStream>,
    search: Option<TokenStream>,
    doc: Option<TokenStream>,
    learnt: bool,
    /// No parameter: it is written otherwise than by its name.
    hidden: bool,
}

impl Parse for Given {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut given = Given::default();
        while !input.is_empty() {
            if input.peek2(Token![=]) {
                let key = Ident::parse_any(input)?;
                input.parse::<Token![=]>()?;
                let value = Some(up_to_comma(input)?);
                match key.to_string().as_str() {
                    "default" => given.default = value,
                    "domain" => given.domain = value,
                    "search" => given.search = value,
                    "doc" => given.doc = value,
                    _ => return Err(Error::new_spanned(key, "expected a record, default, domain, search, learnt, hidden or doc")),
                }
            } else {
                let record = up_to_comma(input)?;
                match record.to_string().as_str() {
                    "learnt" => given.learnt = true,
                    "hidden" => given.hidden = true,
                    _ => given.shared = Some(record),
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(given)
    }
}

/// An expression, which the compiler reads where it comes to stand.
fn up_to_comma(input: ParseStream<'_>) -> Result<TokenStream> {
    let mut found = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        found.extend([input.parse::<TokenTree>()?]);
    }
    Ok(found)
}

impl<'a> ParameterField<'a> {
    fn of(field: &'a Field) -> Result<Self> {
        let name = field.ident.as_ref().ok_or_else(|| Error::new_spanned(field, "a parameter needs a name"))?;
        let given = field.attrs.iter().find(|a| a.path().is_ident("param")).map(|a| a.parse_args()).transpose()?.unwrap_or_default();
        Ok(ParameterField { field, name, given })
    }

    /// The name of the parameter: that of the field, unless serde has another, as where it is a keyword of Rust.
    fn parameter(&self) -> String {
        renamed(&self.field.attrs).unwrap_or_else(|| self.name.unraw().to_string())
    }

    fn is_number(&self) -> bool {
        last_segment(&self.field.ty).as_deref() == Some("Value")
    }

    fn record(&self) -> Result<TokenStream> {
        let (name, text) = (self.parameter(), sentence(&self.field.attrs));
        let Given { shared, domain, search, doc, learnt, .. } = &self.given;
        if let Some(record) = shared {
            let doc = doc.as_ref().map(|doc| quote!(doc: #doc,));
            return Ok(quote!(::mercer::param::Param { name: #name, #doc ..#record }));
        }
        let doc = match doc {
            Some(doc) => quote!(#doc),
            None if text.is_empty() => return Err(Error::new_spanned(self.field, "its doc comment says what the parameter means")),
            None => quote!(#text),
        };
        let ty = &self.field.ty;
        let domain = match domain {
            Some(domain) => quote!(::mercer::param::Domain::#domain),
            None if self.is_number() => {
                return Err(Error::new_spanned(self.field, "a number needs its domain: #[param(domain = Positive)]"));
            }
            None => quote_spanned!(ty.span()=> <#ty as ::mercer::param::OfOneDomain>::DOMAIN),
        };
        let search = match search {
            Some(span) => quote!(::core::option::Option::Some(#span)),
            None => quote!(::core::option::Option::None),
        };
        Ok(quote!(::mercer::param::Param { name: #name, doc: #doc, domain: #domain, search: #search, learnt: #learnt }))
    }

    fn default(&self) -> TokenStream {
        let name = self.name;
        let value = match &self.given.default {
            Some(value) if self.is_number() => quote!(::mercer::param::Value::from(#value)),
            Some(value) => quote!(#value),
            None if self.is_number() => quote!(::mercer::param::Value::Auto),
            None => quote!(::core::default::Default::default()),
        };
        quote!(#name: #value)
    }

    fn setter(&self, vis: &Visibility, place: &TokenStream) -> TokenStream {
        let (name, ty) = (self.name, &self.field.ty);
        let (argument, value) = match last_segment(ty).as_deref() {
            Some("bool") => (quote!(bool), quote!(#name)),
            Some("Vec") => (quote!(impl IntoIterator<Item = impl Into<String>>), quote!(#name.into_iter().map(Into::into).collect())),
            _ => (quote!(impl Into<#ty>), quote!(#name.into())),
        };
        let about = match sentence(&self.field.attrs).as_str() {
            "" if self.is_number() => format!("Sets `{name}`: a number, `auto()`, or a range to search such as `0.1..10.0`."),
            "" => format!("Sets `{name}`."),
            // Brackets and angles are no links and no tags.
            text => format!("Sets `{name}`: {}.", text.trim_end_matches('.').replace('[', "\\[").replace('<', "\\<")),
        };
        quote! {
            #[doc = #about]
            #[must_use]
            #[allow(dead_code, reason = "a program need not set every parameter")]
            #vis fn #name(mut self, #name: #argument) -> Self {
                #place.#name = #value;
                self
            }
        }
    }
}

/// The name of a type without its path and arguments.
fn last_segment(ty: &Type) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    path.path.segments.last().map(|segment| segment.ident.to_string())
}
