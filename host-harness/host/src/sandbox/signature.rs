//! The types of a component's functions, as WIT writes them.

use wasmtime::Engine;
use wasmtime::component::types::{Component, ComponentFunc, ComponentItem, Type};

/// The names of the types in a component's exported interfaces. Aliases of plain types are left out.
pub(super) struct TypeNames(Vec<(String, Type)>);

impl TypeNames {
    pub(super) fn of(component: &Component, engine: &Engine) -> TypeNames {
        let mut names = Vec::new();
        for (_, item) in component.exports(engine) {
            let ComponentItem::ComponentInstance(interface) = item.ty else {
                continue;
            };
            for (name, item) in interface.exports(engine) {
                if let ComponentItem::Type(ty) = item.ty
                    && matches!(ty, Type::Record(_) | Type::Variant(_) | Type::Enum(_) | Type::Flags(_))
                {
                    names.push((name.to_owned(), ty));
                }
            }
        }
        TypeNames(names)
    }

    /// Returns the type of a function as `func(name: type) -> type`.
    pub(super) fn signature(&self, function: &ComponentFunc) -> String {
        let parameters: Vec<String> =
            function.params().map(|(name, ty)| format!("{name}: {}", self.write(&ty))).collect();
        let result = function.results().next().map(|ty| format!(" -> {}", self.write(&ty))).unwrap_or_default();
        format!("func({}){result}", parameters.join(", "))
    }

    fn write(&self, ty: &Type) -> String {
        if let Some((name, _)) = self.0.iter().find(|(_, named)| named == ty) {
            return name.clone();
        }
        match ty {
            Type::Bool => "bool".to_owned(),
            Type::S8 => "s8".to_owned(),
            Type::U8 => "u8".to_owned(),
            Type::S16 => "s16".to_owned(),
            Type::U16 => "u16".to_owned(),
            Type::S32 => "s32".to_owned(),
            Type::U32 => "u32".to_owned(),
            Type::S64 => "s64".to_owned(),
            Type::U64 => "u64".to_owned(),
            Type::Float32 => "f32".to_owned(),
            Type::Float64 => "f64".to_owned(),
            Type::Char => "char".to_owned(),
            Type::String => "string".to_owned(),
            Type::List(list) => format!("list<{}>", self.write(&list.ty())),
            Type::Option(option) => format!("option<{}>", self.write(&option.ty())),
            Type::Tuple(tuple) => {
                let parts: Vec<String> = tuple.types().map(|part| self.write(&part)).collect();
                format!("tuple<{}>", parts.join(", "))
            }
            Type::Result(result) => match (result.ok(), result.err()) {
                (None, None) => "result".to_owned(),
                (Some(ok), None) => format!("result<{}>", self.write(&ok)),
                (ok, Some(err)) => {
                    let ok = ok.map_or("_".to_owned(), |ok| self.write(&ok));
                    format!("result<{ok}, {}>", self.write(&err))
                }
            },
            // The contract has no other types, but a foreign component may.
            other => format!("{other:?}").split('(').next().unwrap_or_default().to_lowercase(),
        }
    }
}
