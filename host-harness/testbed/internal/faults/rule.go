// Package faults is a proxy before the API server that fails chosen requests and closes watches.
package faults

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// kind is what a rule does to a request.
type kind string

const (
	// fail answers with a status code; the API server is not asked.
	fail kind = "fail"
	// delay waits before the API server is asked.
	delay kind = "delay"
	// drop cuts the connection; the API server is not asked.
	drop kind = "drop"
	// lose asks the API server, and cuts the connection in place of its answer.
	lose kind = "lose"
)

// Rule says which requests fail, and how.
type Rule struct {
	kind kind
	// code is the status that `fail` answers with.
	code int
	// wait is how long `delay` waits.
	wait time.Duration
	// retryAfter is the header of that name of `fail`, in seconds; 0 leaves it out.
	retryAfter int
	// verbs are the verbs, in Kubernetes' words, that it holds for; none: all of them.
	verbs []string
	// path is what must match in the path of the URL; nil: any path.
	path *regexp.Regexp
	// token is a part of the bearer token, so of the user; empty: any user.
	token string
	// after is how many matching requests pass first, every is 1 for all after these, 2 for each second one.
	after, every int
	// times is how many requests it fails until it is spent; 0: there is no end.
	times int

	matched, hits int
}

// ParseRule reads a command such as `fail 409 verb=patch path=/pods/ times=3`, given as its words. The tokens of users are known by name.
func ParseRule(words []string, tokens map[string]string) (*Rule, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("say fail CODE, delay MILLISECONDS, drop or lose")
	}
	rule, rest := &Rule{kind: kind(words[0]), every: 1}, words[1:]
	if !slices.Contains([]kind{fail, delay, drop, lose}, rule.kind) {
		return nil, fmt.Errorf("there is no fault %q: fail CODE, delay MILLISECONDS, drop, lose", rule.kind)
	}
	if rule.kind == fail || rule.kind == delay {
		if len(rest) == 0 {
			return nil, fmt.Errorf("%s needs a number", rule.kind)
		}
		number, err := strconv.Atoi(rest[0])
		if err != nil || number < 0 {
			return nil, fmt.Errorf("%s needs a number, not %q", rule.kind, rest[0])
		}
		if rule.kind == fail && (number < 400 || number > 599) {
			return nil, fmt.Errorf("%d is no status code of a failure", number)
		}
		rule.code, rule.wait, rest = number, time.Duration(number)*time.Millisecond, rest[1:]
	}
	for _, word := range rest {
		name, value, _ := strings.Cut(word, "=")
		if err := rule.set(name, value, tokens); err != nil {
			return nil, err
		}
	}
	return rule, nil
}

func (r *Rule) set(name, value string, tokens map[string]string) (err error) {
	switch name {
	case "verb":
		r.verbs = strings.Split(value, ",")
	case "path":
		r.path, err = regexp.Compile(value)
	case "user":
		token, ok := tokens[value]
		if !ok {
			return fmt.Errorf("there is no user %q", value)
		}
		r.token = token
	case "times":
		r.times, err = positive(name, value)
	case "after":
		r.after, err = positive(name, value)
	case "every":
		r.every, err = positive(name, value)
	case "retry-after":
		r.retryAfter, err = positive(name, value)
	default:
		return fmt.Errorf("unknown word %q: verb=, path=, user=, times=, after=, every=, retry-after=", name)
	}
	return err
}

func positive(name, value string) (int, error) {
	number, err := strconv.Atoi(value)
	if err != nil || number < 1 {
		return 0, fmt.Errorf("%s needs a number from 1 on, not %q", name, value)
	}
	return number, nil
}

// hit says whether the rule fails this request, and counts it.
func (r *Rule) hit(request *http.Request) bool {
	if r.times > 0 && r.hits >= r.times || !r.matches(request) {
		return false
	}
	r.matched++
	if r.matched <= r.after || (r.matched-r.after-1)%r.every != 0 {
		return false
	}
	r.hits++
	return true
}

func (r *Rule) matches(request *http.Request) bool {
	switch {
	case len(r.verbs) > 0 && !slices.Contains(r.verbs, verb(request)):
		return false
	case r.path != nil && !r.path.MatchString(request.URL.Path):
		return false
	}
	return r.token == "" || strings.HasSuffix(request.Header.Get("Authorization"), r.token)
}

// verb is the verb of a request in Kubernetes' words; reads of one object and of many are both `get`.
func verb(request *http.Request) string {
	switch request.Method {
	case http.MethodGet, http.MethodHead:
		if isWatch(request) {
			return "watch"
		}
		return "get"
	case http.MethodPost:
		return "create"
	case http.MethodPut:
		return "update"
	}
	return strings.ToLower(request.Method)
}

func isWatch(request *http.Request) bool {
	watch := request.URL.Query().Get("watch")
	return watch == "true" || watch == "1"
}
