// Plays traces of the component under wazero, which runs core modules only: `player COMPONENT TRACES`. See ../README.md.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"

	"github.com/tetratelabs/wazero"
)

type function struct {
	Interface  string
	Parameters []json.RawMessage
	Result     json.RawMessage
}

type told struct {
	Functions map[string]function
	Types     map[string]map[string][]json.RawMessage
	Traces    []struct {
		Name  string
		Calls []call
	}
}

type call struct {
	Call      string
	Arguments []any
	Answer    any
}

func main() {
	if err := play(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// The core module of a component; it has one, which imports nothing. A section is a byte that says its kind, its length as LEB128, and
// its contents.
func coreModule(component []byte) ([]byte, error) {
	const preamble, module = 8, 1
	for rest := component[min(preamble, len(component)):]; len(rest) > 0; {
		kind := rest[0]
		length, used := binary.Uvarint(rest[1:])
		rest = rest[1:]
		if used <= 0 || uint64(len(rest)-used) < length {
			return nil, errors.New("the component ends within a section")
		}
		if kind == module {
			return rest[used : used+int(length)], nil
		}
		rest = rest[used+int(length):]
	}
	return nil, errors.New("the component has no core module")
}

func play(component, traces string) (err error) {
	contents, err := os.ReadFile(component)
	if err != nil {
		return err
	}
	core, err := coreModule(contents)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(traces)
	if err != nil {
		return err
	}
	var all told
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&all); err != nil {
		return err
	}
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	defer func() { err = errors.Join(err, runtime.Close(ctx)) }()
	compiled, err := runtime.CompileModule(ctx, core)
	if err != nil {
		return err
	}
	calls, err := all.replay(func() (*instance, error) {
		module, err := runtime.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName(""))
		return &instance{module}, err
	})
	if err == nil {
		fmt.Printf("%d traces, %d calls: the same answers\n", len(all.Traces), calls)
	}
	return err
}

// Repeats all calls, and says how many there were. The instances are closed with the runtime.
func (t *told) replay(start func() (*instance, error)) (int, error) {
	known, calls := &types{told: t.Types, read: map[string]*layout{}}, 0
	for _, trace := range t.Traces {
		running, err := start()
		if err != nil {
			return calls, err
		}
		for _, call := range trace.Calls {
			calls++
			if call.Call == "restart" {
				if running, err = start(); err != nil {
					return calls, err
				}
				continue
			}
			answer, err := running.ask(t.Functions[call.Call], known, call)
			if err != nil {
				return calls, fmt.Errorf("%s: %s: %w", trace.Name, call.Call, err)
			}
			if !reflect.DeepEqual(answer, call.Answer) {
				return calls, fmt.Errorf("%s: %s%.2000s\nanswered %.4000s\nexpected %.4000s", trace.Name, call.Call,
					shown(call.Arguments), shown(answer), shown(call.Answer))
			}
		}
	}
	return calls, nil
}

func shown(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// Calls a function: numbers, texts and lists are given as core values, the fields of a record one after the other. What is answered lies
// in memory.
func (i *instance) ask(of function, known *types, call call) (any, error) {
	var core []uint64
	for at, raw := range of.Parameters {
		parameter, err := known.of(raw)
		if err == nil {
			core, err = i.flat(core, parameter, call.Arguments[at])
		}
		if err != nil {
			return nil, err
		}
	}
	name, ctx := of.Interface+"#"+call.Call, context.Background()
	result, err := known.of(of.Result)
	if err != nil {
		return nil, err
	}
	answered, err := i.module.ExportedFunction(name).Call(ctx, core...)
	if err != nil || result == nil {
		return nil, err
	}
	answer, err := i.load(uint32(answered[0]), result)
	if err != nil {
		return nil, err
	}
	// The component frees what it answered.
	if free := i.module.ExportedFunction("cabi_post_" + name); free != nil {
		_, err = free.Call(ctx, answered[0])
	}
	return answer, err
}

func (i *instance) flat(core []uint64, of *layout, value any) ([]uint64, error) {
	switch of.kind {
	case number:
		it, err := bits(of.name, value)
		return append(core, it), err
	case text, list:
		start, length, err := i.sequence(of, value)
		return append(core, uint64(start), uint64(length)), err
	case record:
		var err error
		for _, part := range of.fields {
			if core, err = i.flat(core, part.of, value.(map[string]any)[part.name]); err != nil {
				return nil, err
			}
		}
		return core, nil
	}
	// The number of the case, and what is in it; zeros where another case has more values.
	index, inner, err := of.caseOf(value)
	if err != nil {
		return nil, err
	}
	end := len(core) + of.width()
	core = append(core, uint64(index))
	if of.fields[index].of != nil {
		core, err = i.flat(core, of.fields[index].of, inner)
	}
	for len(core) < end {
		core = append(core, 0)
	}
	return core, err
}

// The number of core values of a parameter.
func (of *layout) width() int {
	width := 0
	switch of.kind {
	case number:
		return 1
	case text, list:
		return 2
	case record:
		for _, part := range of.fields {
			width += part.of.width()
		}
		return width
	}
	for _, part := range of.fields {
		if part.of != nil {
			width = max(width, part.of.width())
		}
	}
	return width + 1
}
