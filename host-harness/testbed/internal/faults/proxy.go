package faults

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"
)

// Proxy passes requests on to the API server, but for those that a rule fails.
type Proxy struct {
	server *http.Server
	// URL is where it listens.
	URL string

	lock    sync.Mutex
	rules   map[int]*Rule
	last    int
	watches map[*watch]struct{}
}

// Start listens on a port of this machine, with the same certificate as the API server.
func Start(upstream string, trusted, certificate, key []byte) (*Proxy, error) {
	target, err := url.Parse(upstream)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(trusted)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	proxy := &Proxy{URL: "https://" + listener.Addr().String(), rules: map[int]*Rule{}, watches: map[*watch]struct{}{}}
	silent := log.New(io.Discard, "", 0)
	forward := &httputil.ReverseProxy{
		Rewrite:        func(request *httputil.ProxyRequest) { request.SetURL(target) },
		Transport:      &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 64},
		FlushInterval:  -1,
		ErrorLog:       silent,
		ModifyResponse: proxy.answered,
		// An API server that is down answers nothing at all.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	proxy.server = &http.Server{
		Handler:   proxy.handler(forward),
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: []string{"h2", "http/1.1"}},
		ErrorLog:  silent,
	}
	go func() { _ = proxy.server.ServeTLS(listener, "", "") }() // Ends with Close.
	return proxy, nil
}

// Close cuts all connections.
func (p *Proxy) Close() {
	_ = p.server.Close()
}

// Add puts a rule in force, and returns its number. Of several rules that a request matches, the first one fails it.
func (p *Proxy) Add(rule *Rule) int {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.last++
	p.rules[p.last] = rule
	return p.last
}

// Clear takes a rule out of force, or all where the number is 0, and returns how often each has failed a request.
func (p *Proxy) Clear(number int) (map[string]int, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	hits := map[string]int{}
	for at, rule := range p.rules {
		if number == 0 || number == at {
			hits[strconv.Itoa(at)] = rule.hits
			delete(p.rules, at)
		}
	}
	if number != 0 && len(hits) == 0 {
		return nil, fmt.Errorf("there is no rule %d", number)
	}
	return hits, nil
}

// Hits says how often each rule in force has failed a request.
func (p *Proxy) Hits() map[string]int {
	p.lock.Lock()
	defer p.lock.Unlock()
	hits := map[string]int{}
	for at, rule := range p.rules {
		hits[strconv.Itoa(at)] = rule.hits
	}
	return hits
}

// match is the first rule that fails this request, or nil.
func (p *Proxy) match(request *http.Request) *Rule {
	p.lock.Lock()
	defer p.lock.Unlock()
	for at := range p.last {
		if rule, ok := p.rules[at+1]; ok && rule.hit(request) {
			return rule
		}
	}
	return nil
}

// lost marks a request whose answer gets lost.
type lost struct{}

func (p *Proxy) handler(forward http.Handler) http.Handler {
	return http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		if rule := p.match(request); rule != nil {
			switch rule.kind {
			case fail:
				refuse(writer, rule)
				return
			case drop:
				panic(http.ErrAbortHandler)
			case lose:
				request = request.WithContext(context.WithValue(request.Context(), lost{}, true))
			case delay:
				select {
				case <-time.After(rule.wait):
				case <-request.Context().Done():
					return
				}
			}
		}
		forward.ServeHTTP(writer, request)
	})
}

// answered looks at an answer of the API server before it is passed on.
func (p *Proxy) answered(response *http.Response) error {
	if response.Request.Context().Value(lost{}) != nil {
		_ = response.Body.Close()
		return fmt.Errorf("the answer gets lost")
	}
	if isWatch(response.Request) && response.StatusCode == http.StatusOK {
		response.Body = p.follow(response)
	}
	return nil
}

// refuse answers as the API server does when it fails with this code.
func refuse(writer http.ResponseWriter, rule *Rule) {
	reasons := map[int]metav1.StatusReason{
		http.StatusUnauthorized: metav1.StatusReasonUnauthorized, http.StatusForbidden: metav1.StatusReasonForbidden,
		http.StatusNotFound: metav1.StatusReasonNotFound, http.StatusConflict: metav1.StatusReasonConflict,
		http.StatusGone: metav1.StatusReasonExpired, http.StatusUnprocessableEntity: metav1.StatusReasonInvalid,
		http.StatusTooManyRequests: metav1.StatusReasonTooManyRequests, http.StatusInternalServerError: metav1.StatusReasonInternalError,
		http.StatusServiceUnavailable: metav1.StatusReasonServiceUnavailable, http.StatusGatewayTimeout: metav1.StatusReasonTimeout,
	}
	body, err := json.Marshal(status(rule.code, reasons[rule.code], "a fault that a test asked for"))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	writer.Header().Set("Content-Type", "application/json")
	if rule.retryAfter > 0 {
		writer.Header().Set("Retry-After", strconv.Itoa(rule.retryAfter))
	}
	writer.WriteHeader(rule.code)
	_, _ = writer.Write(body) // A client that is gone needs no answer.
}

func status(code int, reason metav1.StatusReason, message string) metav1.Status {
	return metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message,
	}
}

// CloseWatches ends all open watches, and returns how many there were. An expired one ends with the event that says that its
// resource version is too old, so that the client has to list anew.
func (p *Proxy) CloseWatches(expired bool) int {
	p.lock.Lock()
	open := slices.Collect(keys(p.watches))
	p.lock.Unlock()
	for _, watch := range open {
		watch.end(expired)
	}
	return len(open)
}
