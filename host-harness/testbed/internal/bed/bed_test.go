package bed

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain makes of this program a part that does nothing, where a test starts it as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "idle" {
		EndWithParent()
		fmt.Println("idle")
		select {}
	}
	if len(os.Args) == 2 && os.Args[1] == "broken" {
		fmt.Println("out of order")
		os.Exit(3)
	}
	os.Exit(m.Run())
}

func idle(t *testing.T, name string) *child {
	t.Helper()
	child := &child{name: name, log: logOf(t.TempDir(), name)}
	t.Cleanup(func() { children{child}.endAll() })
	return child
}

func TestAPartIsStartedAndEnded(t *testing.T) {
	child := idle(t, "idle")
	if err := child.end(os.Kill); err == nil {
		t.Error("a part that does not run is ended")
	}
	if err := child.start(); err != nil {
		t.Fatal(err)
	}
	if err := child.start(); err == nil {
		t.Error("it is started twice")
	}
	first := child.pid()
	if err := child.end(syscall.SIGTERM); err != nil || child.pid() != 0 {
		t.Fatalf("ended: %v, process %d", err, child.pid())
	}
	if err := child.start(); err != nil || child.pid() == 0 || child.pid() == first {
		t.Fatalf("started again: %v, process %d after %d", err, child.pid(), first)
	}
}

func TestAPartThatLosesItsParentEnds(t *testing.T) {
	child := idle(t, "idle")
	if err := child.start(); err != nil {
		t.Fatal(err)
	}
	_, ended := child.running()
	if err := child.hold.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("it runs on")
	}
}

func TestAPartThatFailsSaysWhy(t *testing.T) {
	child := idle(t, "broken")
	child.ready = func(context.Context) error { return fmt.Errorf("no answer") }
	if err := child.start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := child.wait(ctx); err == nil || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("it says %v", err)
	}
}

func TestObjectsThatOthersNeedComeFirst(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.yaml")
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n---\n# nothing\n---\n" +
		"apiVersion: v1\nkind: Namespace\nmetadata: {name: b}\n---\n" +
		"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: c}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Dir(file)} {
		objects, err := readManifests([]string{path})
		var kinds []string
		for _, object := range objects {
			kinds = append(kinds, object.GetKind())
		}
		if err != nil || !slices.Equal(kinds, []string{"CustomResourceDefinition", "Namespace", "ConfigMap"}) {
			t.Errorf("%s: %v, %v", path, kinds, err)
		}
	}
	if _, err := readObjects([]byte("kind: Pod")); err == nil {
		t.Error("a pod without a name is read")
	}
}

func TestAGivenSchedulerConfigurationKeepsWhatItSays(t *testing.T) {
	at := folder(t.TempDir())
	given := at.path("given.yaml")
	text := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" +
		"clientConnection: {qps: 500, kubeconfig: /elsewhere}\nprofiles: [{schedulerName: mine}]\n"
	if err := os.WriteFile(given, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := at.writeSchedulerConfig(given, "/here")
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"qps: 500", "kubeconfig: /here", "schedulerName: mine", "leaderElect: false"} {
		if !strings.Contains(string(written), part) {
			t.Errorf("%s is missing in\n%s", part, written)
		}
	}
}

func TestWhoTheUsersAre(t *testing.T) {
	secrets := &secrets{tokens: map[string]string{admin: "1", "system:serviceaccount:a:b": "2", schedulerUser: "3"}}
	lines := strings.Split(strings.TrimSpace(secrets.tokenFile()), "\n")
	slices.Sort(lines)
	expected := []string{
		`1,admin,admin,"system:masters"`,
		`2,system:serviceaccount:a:b,system:serviceaccount:a:b,"system:serviceaccounts,system:serviceaccounts:a"`,
		`3,system:kube-scheduler,system:kube-scheduler`,
	}
	if !slices.Equal(lines, expected) {
		t.Errorf("%q", lines)
	}
}

func TestOptionsThatMakeNoSenseAreRefused(t *testing.T) {
	for _, args := range [][]string{{"--nodes", "-1"}, {"--colour", "red"}, {"extra"}} {
		if _, err := ParseOptions(args, io.Discard); err == nil {
			t.Errorf("%q is read", args)
		}
	}
	options, err := ParseOptions([]string{"--nodes", "2", "--manifests", "a", "--manifests", "b"}, io.Discard)
	if err != nil || len(nodes(options)) != 2 || !slices.Equal(options.Manifests, list{"a", "b"}) {
		t.Errorf("%+v, %v", options, err)
	}
}
