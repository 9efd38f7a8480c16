package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/tetratelabs/wazero/api"
)

// An instance of the core module. Values are as the traces have them: what encoding/json makes of them, with numbers as json.Number.
type instance struct {
	module api.Module
}

// Asks the component for memory, which it frees itself.
func (i *instance) room(size, align uint32) (uint32, error) {
	at, err := i.module.ExportedFunction("cabi_realloc").Call(context.Background(), 0, 0, uint64(align), uint64(size))
	if err != nil {
		return 0, err
	}
	return uint32(at[0]), nil
}

func bits(name string, value any) (uint64, error) {
	switch it := value.(type) {
	case bool:
		if it {
			return 1, nil
		}
		return 0, nil
	case json.Number:
		return bits(name, it.String())
	case string:
		if name[0] == 'u' {
			return strconv.ParseUint(it, 10, 64)
		}
		signed, err := strconv.ParseInt(it, 10, 64)
		return uint64(signed), err
	}
	return 0, fmt.Errorf("%v is no %s", value, name)
}

// Writes the elements of a list, or the bytes of a text, into memory of their own.
func (i *instance) sequence(of *layout, value any) (uint32, uint32, error) {
	if of.kind == text {
		at, err := i.room(uint32(len(value.(string))), 1)
		if err == nil && !i.module.Memory().WriteString(at, value.(string)) {
			err = fmt.Errorf("no room for a text at %d", at)
		}
		return at, uint32(len(value.(string))), err
	}
	elements := value.([]any)
	at, err := i.room(uint32(len(elements))*of.element.size, of.element.align)
	for index := 0; err == nil && index < len(elements); index++ {
		err = i.store(at+uint32(index)*of.element.size, of.element, elements[index])
	}
	return at, uint32(len(elements)), err
}

// Writes a value where there is room for it.
func (i *instance) store(at uint32, of *layout, value any) error {
	memory := i.module.Memory()
	switch of.kind {
	case number:
		it, err := bits(of.name, value)
		if err != nil {
			return err
		}
		switch of.size {
		case 1:
			memory.WriteByte(at, byte(it))
		case 4:
			memory.WriteUint32Le(at, uint32(it))
		default:
			memory.WriteUint64Le(at, it)
		}
		return nil
	case text, list:
		start, length, err := i.sequence(of, value)
		memory.WriteUint32Le(at, start)
		memory.WriteUint32Le(at+4, length)
		return err
	case record:
		for _, part := range of.fields {
			if err := i.store(at+part.at, part.of, value.(map[string]any)[part.name]); err != nil {
				return fmt.Errorf("%s: %w", part.name, err)
			}
		}
		return nil
	}
	index, inner, err := of.caseOf(value)
	if err != nil {
		return err
	}
	memory.WriteByte(at, byte(index))
	if of.fields[index].of == nil {
		return nil
	}
	return i.store(at+of.payload, of.fields[index].of, inner)
}

// The case of a value, and what is in it.
func (of *layout) caseOf(value any) (int, any, error) {
	name, inner := "", value
	switch it := value.(type) {
	case string:
		name = it
	case map[string]any:
		for key := range it {
			name, inner = key, it[key]
		}
	}
	if of.kind == option {
		name, inner = "some", value
		if value == nil {
			name = "none"
		}
	}
	for index, part := range of.fields {
		if part.name == name {
			return index, inner, nil
		}
	}
	return 0, nil, fmt.Errorf("%v is of no case", value)
}

// Reads a value. What lies outside of the memory is 0.
func (i *instance) load(at uint32, of *layout) (any, error) {
	memory := i.module.Memory()
	switch of.kind {
	case number:
		return i.loadNumber(at, of), nil
	case text:
		start, _ := memory.ReadUint32Le(at)
		length, _ := memory.ReadUint32Le(at + 4)
		bytes, ok := memory.Read(start, length)
		if !ok {
			return nil, fmt.Errorf("a text of %d bytes at %d", length, start)
		}
		return string(bytes), nil
	case list:
		start, _ := memory.ReadUint32Le(at)
		length, _ := memory.ReadUint32Le(at + 4)
		elements := make([]any, length)
		for index := range elements {
			element, err := i.load(start+uint32(index)*of.element.size, of.element)
			if err != nil {
				return nil, err
			}
			elements[index] = element
		}
		return elements, nil
	case record:
		fields := make(map[string]any, len(of.fields))
		for _, part := range of.fields {
			value, err := i.load(at+part.at, part.of)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", part.name, err)
			}
			fields[part.name] = value
		}
		return fields, nil
	}
	index, _ := memory.ReadByte(at)
	if int(index) >= len(of.fields) {
		return nil, fmt.Errorf("case %d of %d", index, len(of.fields))
	}
	chosen := of.fields[index]
	var inner any
	if chosen.of != nil {
		var err error
		if inner, err = i.load(at+of.payload, chosen.of); err != nil {
			return nil, fmt.Errorf("%s: %w", chosen.name, err)
		}
	}
	switch {
	case of.kind == option:
		return inner, nil
	case of.kind == variant && chosen.of == nil:
		return chosen.name, nil
	}
	return map[string]any{chosen.name: inner}, nil
}

func (i *instance) loadNumber(at uint32, of *layout) any {
	memory := i.module.Memory()
	switch of.name {
	case "bool":
		it, _ := memory.ReadByte(at)
		return it == 1
	case "u8":
		it, _ := memory.ReadByte(at)
		return json.Number(strconv.FormatUint(uint64(it), 10))
	case "u64", "s64":
		it, _ := memory.ReadUint64Le(at)
		if of.name == "u64" {
			return strconv.FormatUint(it, 10)
		}
		return strconv.FormatInt(int64(it), 10)
	}
	it, _ := memory.ReadUint32Le(at)
	if of.name == "u32" {
		return json.Number(strconv.FormatUint(uint64(it), 10))
	}
	return json.Number(strconv.FormatInt(int64(int32(it)), 10))
}
