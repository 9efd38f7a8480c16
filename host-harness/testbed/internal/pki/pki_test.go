package pki

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
)

func TestAServerOfTheAuthorityIsTrusted(t *testing.T) {
	authority, err := NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	certificate, key, err := authority.Serving()
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.PEM)
	for _, name := range []string{"localhost", "127.0.0.1"} {
		if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: name}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	other, err := NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	strangers := x509.NewCertPool()
	strangers.AppendCertsFromPEM(other.PEM)
	if _, err := leaf.Verify(x509.VerifyOptions{Roots: strangers, DNSName: "localhost"}); err == nil {
		t.Error("another authority vouches for it")
	}
}
