//! The types of the component, as players of other languages read them, and values by these types.
//!
//! A type is the name of a primitive type or of one in `types`; or `{"list": type}`, `{"option": type}`,
//! `{"result": {"ok": type, "err": type}}`, where null stands for no type. What a name stands for is `{"record": [[field, type]]}`,
//! `{"variant": [[case, type]]}` or `{"enum": [case]}`.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use wit_parser::decoding::{DecodedWasm, decode};
use wit_parser::{Function, Resolve, Type, TypeDefKind, TypeId, WorldItem};

use crate::traced::Calls;

/// The types and functions of a component.
pub struct Contract {
    resolve: Resolve,
    /// Each function with the export that it belongs to.
    functions: BTreeMap<String, (String, Function)>,
}

impl Contract {
    /// Reads the types and functions that a component exports.
    pub fn of(component: &[u8]) -> Contract {
        let DecodedWasm::Component(resolve, world) = decode(component).unwrap() else { panic!("no component") };
        let mut functions = BTreeMap::new();
        for (key, item) in &resolve.worlds[world].exports {
            let WorldItem::Interface { id, .. } = item else { panic!("exports other than interfaces") };
            for (name, function) in &resolve.interfaces[*id].functions {
                let known = functions.insert(name.clone(), (resolve.name_world_key(key), function.clone()));
                assert!(known.is_none(), "two interfaces have `{name}`");
            }
        }
        Contract { resolve, functions }
    }

    /// Returns each function: its interface, its parameters and its result.
    pub fn functions(&self) -> Value {
        let told = |(interface, function): &(String, Function)| {
            let parameters: Vec<Value> = function.params.iter().map(|it| self.name(&it.ty)).collect();
            json!({"interface": interface, "parameters": parameters, "result": self.name_or_none(&function.result)})
        };
        self.functions.iter().map(|(name, function)| (name.clone(), told(function))).collect::<Map<_, _>>().into()
    }

    /// Returns the types that have names.
    pub fn types(&self) -> Value {
        let named = self.resolve.types.iter().filter_map(|(id, it)| Some((it.name.clone()?, self.definition(id)?)));
        named.collect::<Map<_, _>>().into()
    }

    fn kind(&self, id: TypeId) -> &TypeDefKind {
        &self.resolve.types[id].kind
    }

    fn definition(&self, id: TypeId) -> Option<Value> {
        match self.kind(id) {
            TypeDefKind::Record(it) => {
                Some(json!({"record": it.fields.iter().map(|it| (&it.name, self.name(&it.ty))).collect::<Vec<_>>()}))
            }
            TypeDefKind::Variant(it) => Some(
                json!({"variant": it.cases.iter().map(|it| (&it.name, self.name_or_none(&it.ty))).collect::<Vec<_>>()}),
            ),
            TypeDefKind::Enum(it) => Some(json!({"enum": it.cases.iter().map(|it| &it.name).collect::<Vec<_>>()})),
            _ => None,
        }
    }

    fn name_or_none(&self, ty: &Option<Type>) -> Value {
        ty.as_ref().map_or(Value::Null, |ty| self.name(ty))
    }

    fn name(&self, ty: &Type) -> Value {
        let id = match ty {
            Type::Bool => return "bool".into(),
            Type::U8 => return "u8".into(),
            Type::U32 => return "u32".into(),
            Type::U64 => return "u64".into(),
            Type::S32 => return "s32".into(),
            Type::S64 => return "s64".into(),
            Type::String => return "string".into(),
            Type::Id(id) => *id,
            other => panic!("{other:?} is not of the contract"),
        };
        match self.kind(id) {
            TypeDefKind::Type(it) => self.name(it),
            TypeDefKind::List(it) => json!({"list": self.name(it)}),
            TypeDefKind::Option(it) => json!({"option": self.name(it)}),
            TypeDefKind::Result(it) => {
                json!({"result": {"ok": self.name_or_none(&it.ok), "err": self.name_or_none(&it.err)}})
            }
            _ => self.resolve.types[id].name.clone().into(),
        }
    }

    /// Writes calls as players read them.
    pub fn written(&self, calls: &Calls) -> Vec<Value> {
        let of_call = |call: crate::traced::Call| {
            let Some((_, function)) = self.functions.get(call.function) else { return json!({"call": call.function}) };
            let given = call.arguments.as_array().unwrap().iter().zip(&function.params);
            let arguments: Vec<Value> = given.map(|(value, it)| self.value(&it.ty, value)).collect();
            let answer =
                function.result.as_ref().map_or(Value::Null, |ty| match self.value_of_result(ty, &call.answer) {
                    Some(result) => result,
                    None => self.value(ty, &call.answer["ok"]),
                });
            json!({"call": call.function, "arguments": arguments, "answer": answer})
        };
        calls.taken().into_iter().map(of_call).collect()
    }

    /// Returns the value of a result. `None`: the type is no result.
    fn value_of_result(&self, ty: &Type, value: &Value) -> Option<Value> {
        let Type::Id(id) = ty else { return None };
        let TypeDefKind::Result(it) = self.kind(*id) else { return None };
        let side = |name: &str, ty: &Option<Type>| {
            let value = value.get(name)?;
            Some(json!({name: ty.as_ref().map_or(Value::Null, |ty| self.value(ty, value))}))
        };
        Some(side("ok", &it.ok).or_else(|| side("err", &it.err)).unwrap())
    }

    /// Returns a value by its type: fields by their names in `wit/`, and numbers of 64 bits as text, since not every language reads them as
    /// numbers.
    fn value(&self, ty: &Type, value: &Value) -> Value {
        let id = match ty {
            Type::U64 | Type::S64 => return value.as_number().unwrap().to_string().into(),
            Type::Id(id) => *id,
            _ => return value.clone(),
        };
        match self.kind(id) {
            TypeDefKind::Type(it) => self.value(it, value),
            TypeDefKind::Option(_) if value.is_null() => Value::Null,
            TypeDefKind::Option(it) => self.value(it, value),
            TypeDefKind::List(it) => value.as_array().unwrap().iter().map(|value| self.value(it, value)).collect(),
            TypeDefKind::Record(it) => {
                // serde leaves out a list that is empty.
                let field = |name: &str| value.get(name.replace('-', "_")).cloned().unwrap_or_else(|| json!([]));
                let fields = it.fields.iter().map(|it| (it.name.clone(), self.value(&it.ty, &field(&it.name))));
                fields.collect::<Map<_, _>>().into()
            }
            TypeDefKind::Variant(it) => {
                let Some((case, inner)) = value.as_object().and_then(|it| it.iter().next()) else {
                    return value.clone();
                };
                let of_case = it.cases.iter().find(|it| it.name == *case).unwrap();
                json!({case: self.value(of_case.ty.as_ref().unwrap(), inner)})
            }
            _ => value.clone(),
        }
    }
}
