// Package orders has the orders in which a scheduler may come upon equal elements: in the order of a cache or of a map, which depends on chance.
package orders

import (
	"math/rand/v2"
	"slices"
)

// most is the number of orders to try, at most.
const most = 24

// Equals sorts elements by importance, and splits them into classes of equals. Within a class they keep their order.
func Equals[T any](list []T, isBefore func(a, b T) bool) [][]T {
	slices.SortStableFunc(list, func(a, b T) int {
		switch {
		case isBefore(a, b):
			return -1
		case isBefore(b, a):
			return 1
		}
		return 0
	})
	var classes [][]T
	for i, element := range list {
		if i > 0 && !isBefore(list[i-1], element) {
			classes[len(classes)-1] = append(classes[len(classes)-1], element)
		} else {
			classes = append(classes, []T{element})
		}
	}
	return classes
}

// Arrangements returns the orders of all elements that differ in the order of equals: all of them if they are few, else some that are
// drawn, always the same.
func Arrangements[T any](classes [][]T) [][]T {
	count := 1
	for _, class := range classes {
		for i := 2; i <= len(class) && count <= most; i++ {
			count *= i
		}
	}
	if count > most {
		return drawn(classes)
	}
	lists := [][]T{nil}
	for _, class := range classes {
		var longer [][]T
		for _, list := range lists {
			for _, order := range permutations(class) {
				longer = append(longer, append(slices.Clone(list), order...))
			}
		}
		lists = longer
	}
	return lists
}

// Reversals returns a list and, where that is another one, the same from its end: of the orders of a list that decides little, two will do.
func Reversals[T any](list []T) [][]T {
	if len(list) < 2 {
		return [][]T{list}
	}
	reversed := slices.Clone(list)
	slices.Reverse(reversed)
	return [][]T{list, reversed}
}

// drawn returns orders that are drawn from a fixed seed: a request has the same answer each time.
func drawn[T any](classes [][]T) [][]T {
	random := rand.New(rand.NewPCG(1, 1))
	var lists [][]T
	for range most {
		var list []T
		for _, class := range classes {
			class = slices.Clone(class)
			random.Shuffle(len(class), func(i, j int) { class[i], class[j] = class[j], class[i] })
			list = append(list, class...)
		}
		lists = append(lists, list)
	}
	return lists
}

// permutations returns all orders of a list.
func permutations[T any](list []T) [][]T {
	if len(list) < 2 {
		return [][]T{list}
	}
	var all [][]T
	for i := range list {
		rest := append(slices.Clone(list[:i]), list[i+1:]...)
		for _, order := range permutations(rest) {
			all = append(all, append([]T{list[i]}, order...))
		}
	}
	return all
}
