package main

import (
	"encoding/json"
	"fmt"
)

// What a type is: of numbers, texts, lists, records and variants. Options, results and enums are variants.
type kind int

const (
	number kind = iota
	text
	list
	record
	variant
	option
	result
)

// A type, with its layout in the memory of the component: the canonical ABI.
type layout struct {
	kind        kind
	name        string // of a number
	size, align uint32
	fields      []field
	element     *layout // of a list
	payload     uint32  // where a variant has what is in its case
}

// A field of a record, or a case of a variant, which may have no type.
type field struct {
	name string
	of   *layout
	at   uint32
}

// The types of a trace, by name.
type types struct {
	told map[string]map[string][]json.RawMessage
	read map[string]*layout
}

var numbers = map[string]uint32{"bool": 1, "u8": 1, "u32": 4, "s32": 4, "u64": 8, "s64": 8}

// Reads a type as the traces write it: none of null.
func (t *types) of(raw json.RawMessage) (*layout, error) {
	var name *string
	if json.Unmarshal(raw, &name) == nil {
		if name == nil {
			return nil, nil
		}
		return t.named(*name)
	}
	var built struct {
		List, Option json.RawMessage
		Result       map[string]json.RawMessage
	}
	if err := json.Unmarshal(raw, &built); err != nil {
		return nil, fmt.Errorf("type %s: %w", raw, err)
	}
	switch {
	case built.List != nil:
		element, err := t.of(built.List)
		return &layout{kind: list, size: 8, align: 4, element: element}, err
	case built.Option != nil:
		some, err := t.of(built.Option)
		if err != nil {
			return nil, err
		}
		return laidOut(option, []field{{name: "none"}, {name: "some", of: some}}), nil
	}
	ok, err := t.of(built.Result["ok"])
	if err != nil {
		return nil, err
	}
	failed, err := t.of(built.Result["err"])
	return laidOut(result, []field{{name: "ok", of: ok}, {name: "err", of: failed}}), err
}

func (t *types) named(name string) (*layout, error) {
	if size, ok := numbers[name]; ok {
		return &layout{kind: number, name: name, size: size, align: size}, nil
	}
	if name == "string" {
		return &layout{kind: text, size: 8, align: 4}, nil
	}
	if known, ok := t.read[name]; ok {
		return known, nil
	}
	var fields []field
	shape, parts := variant, t.told[name]["variant"]
	if of, ok := t.told[name]["record"]; ok {
		shape, parts = record, of
	}
	for _, part := range parts {
		var named [2]json.RawMessage
		it := field{}
		err := json.Unmarshal(part, &named)
		if err == nil {
			err = json.Unmarshal(named[0], &it.name)
		}
		if err == nil {
			it.of, err = t.of(named[1])
		}
		if err != nil {
			return nil, fmt.Errorf("type %s: %w", name, err)
		}
		fields = append(fields, it)
	}
	for _, part := range t.told[name]["enum"] {
		it := field{}
		if err := json.Unmarshal(part, &it.name); err != nil {
			return nil, fmt.Errorf("type %s: %w", name, err)
		}
		fields = append(fields, it)
	}
	if len(fields) == 0 || len(fields) > 256 {
		return nil, fmt.Errorf("type %s has %d parts", name, len(fields))
	}
	t.read[name] = laidOut(shape, fields)
	return t.read[name], nil
}

func up(size, align uint32) uint32 { return (size + align - 1) / align * align }

// The layout of a record, or of a variant: one byte says which case it is.
func laidOut(shape kind, fields []field) *layout {
	it := &layout{kind: shape, align: 1, fields: fields}
	for _, part := range fields {
		if part.of != nil {
			it.align = max(it.align, part.of.align)
		}
	}
	if shape != record {
		it.payload, it.size = it.align, it.align
		for _, part := range fields {
			if part.of != nil {
				// All cases have what is in them at the same place.
				it.size = max(it.size, it.payload+part.of.size)
			}
		}
		it.size = up(it.size, it.align)
		return it
	}
	for at := range fields {
		fields[at].at = up(it.size, fields[at].of.align)
		it.size = fields[at].at + fields[at].of.size
	}
	it.size = up(it.size, it.align)
	return it
}
