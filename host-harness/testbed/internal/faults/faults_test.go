package faults

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"lictor.dev/testbed/internal/pki"
)

func rule(t *testing.T, text string) *Rule {
	t.Helper()
	rule, err := ParseRule(strings.Fields(text), map[string]string{"admin": "secret"})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return rule
}

func TestWhatARuleFails(t *testing.T) {
	for _, test := range []struct{ rule, method, url, expected string }{
		{"fail 409", "GET", "/api/v1/pods", "!!!!"},
		{"fail 409 times=2", "GET", "/api/v1/pods", "!!.."},
		{"fail 409 after=1 times=2", "GET", "/api/v1/pods", ".!!."},
		{"fail 409 every=2", "GET", "/api/v1/pods", "!.!."},
		{"drop verb=patch,create", "GET", "/api/v1/pods", "...."},
		{"drop verb=patch,create", "PATCH", "/api/v1/pods/a", "!!!!"},
		{"lose verb=watch", "GET", "/api/v1/pods?watch=true", "!!!!"},
		{"lose verb=get", "GET", "/api/v1/pods?watch=1", "...."},
		{"fail 500 path=/eviction$", "POST", "/api/v1/namespaces/a/pods/b/eviction", "!!!!"},
		{"fail 500 path=/eviction$", "POST", "/api/v1/namespaces/a/pods/b/binding", "...."},
		{"delay 5 user=admin", "GET", "/", "!!!!"},
	} {
		rule, got := rule(t, test.rule), ""
		for range 4 {
			request := httptest.NewRequest(test.method, test.url, nil)
			request.Header.Set("Authorization", "Bearer secret")
			if rule.hit(request) {
				got += "!"
			} else {
				got += "."
			}
		}
		if got != test.expected {
			t.Errorf("%s of %s %s: %s, expected %s", test.rule, test.method, test.url, got, test.expected)
		}
	}
}

func TestARuleThatCannotBeReadIsRefused(t *testing.T) {
	for _, text := range []string{"", "fail", "fail soon", "fail 200", "explode", "fail 409 times=0", "fail 409 color=red", "drop path=(", "drop user=nobody"} {
		if _, err := ParseRule(strings.Fields(text), nil); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// bed is a proxy before a server that counts its requests and answers a watch with one event every 10 ms.
func bed(t *testing.T) (*Proxy, *http.Client, *atomic.Int32) {
	t.Helper()
	asked := &atomic.Int32{}
	upstream := httptest.NewTLSServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		asked.Add(1)
		writer.Header().Set("Content-Type", "application/json")
		for at := 0; isWatch(request); at++ {
			if _, err := fmt.Fprintf(writer, "{\"type\":\"ADDED\",\"object\":%d}\n", at); err != nil {
				return
			}
			writer.(http.Flusher).Flush()
			select {
			case <-time.After(10 * time.Millisecond):
			case <-request.Context().Done():
				return
			}
		}
		_, _ = io.WriteString(writer, "{}")
	}))
	t.Cleanup(upstream.Close)
	authority, err := pki.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	certificate, key, err := authority.Serving()
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := Start(upstream.URL, pemOf(upstream.Certificate()), certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.PEM)
	return proxy, &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}, asked
}

func TestFaultsReachTheClient(t *testing.T) {
	proxy, client, asked := bed(t)
	get := func() (int, string, error) {
		response, err := client.Get(proxy.URL + "/api/v1/pods")
		if err != nil {
			return 0, "", err
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		return response.StatusCode, string(body) + response.Header.Get("Retry-After"), err
	}
	if code, body, err := get(); code != 200 || body != "{}" || err != nil {
		t.Fatalf("without a rule: %d %s %v", code, body, err)
	}
	number := proxy.Add(rule(t, "fail 429 retry-after=7"))
	if code, body, err := get(); code != 429 || !strings.Contains(body, `"TooManyRequests"`) || !strings.HasSuffix(body, "7") || err != nil || asked.Load() != 1 {
		t.Fatalf("a refusal: %d %s %v, asked %d times", code, body, err, asked.Load())
	}
	if hits, err := proxy.Clear(number); err != nil || hits["1"] != 1 {
		t.Fatalf("hits of the rule: %v %v", hits, err)
	}
	proxy.Add(rule(t, "drop times=1"))
	if _, _, err := get(); err == nil {
		// The client of Go asks again where a connection was cut before an answer; the rule is spent then.
		t.Log("the client asked again")
	}
	before := asked.Load()
	proxy.Add(rule(t, "lose"))
	if _, _, err := get(); err == nil || asked.Load() == before {
		t.Fatalf("a lost answer: %v, asked %d times", err, asked.Load()-before)
	}
}

func TestWatchesEnd(t *testing.T) {
	for _, expired := range []bool{false, true} {
		proxy, client, _ := bed(t)
		response, err := client.Get(proxy.URL + "/api/v1/pods?watch=true")
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(50*time.Millisecond, func() {
			if ended := proxy.CloseWatches(expired); ended != 1 {
				t.Errorf("%d watches were open", ended)
			}
		})
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		lines := strings.Split(strings.TrimSpace(string(body)), "\n")
		if err != nil || !strings.Contains(lines[0], "ADDED") {
			t.Fatalf("the watch ends with %v after %q", err, body)
		}
		if got := strings.Contains(lines[len(lines)-1], `"Expired"`); got != expired {
			t.Errorf("the last event is %s", lines[len(lines)-1])
		}
		if open := proxy.CloseWatches(false); open != 0 {
			t.Errorf("%d watches are remembered", open)
		}
	}
}

func pemOf(certificate *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
}
