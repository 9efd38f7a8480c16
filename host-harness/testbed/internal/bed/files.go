package bed

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"

	"lictor.dev/testbed/internal/pki"
)

// schedulerUser is who kube-scheduler is, bound by the roles that Kubernetes ships.
const schedulerUser = "system:kube-scheduler"

// secrets are the keys and the users of a cluster.
type secrets struct {
	authority        *pki.Authority
	certificate, key []byte
	// tokens are those of the users, by name.
	tokens map[string]string
}

func newSecrets(users ...string) (*secrets, error) {
	authority, err := pki.NewAuthority()
	if err != nil {
		return nil, err
	}
	certificate, key, err := authority.Serving()
	if err != nil {
		return nil, err
	}
	secrets := &secrets{authority: authority, certificate: certificate, key: key, tokens: map[string]string{}}
	for _, user := range users {
		secrets.tokens[user] = pki.Token()
	}
	return secrets, nil
}

// tokenFile lists the users as kube-apiserver reads them: token, name, uid, groups.
func (s *secrets) tokenFile() string {
	var lines strings.Builder
	for user, token := range s.tokens {
		groups := ""
		if user == admin {
			groups = `,"system:masters"`
		} else if account, ok := strings.CutPrefix(user, "system:serviceaccount:"); ok {
			namespace, _, _ := strings.Cut(account, ":")
			groups = fmt.Sprintf(`,"system:serviceaccounts,system:serviceaccounts:%s"`, namespace)
		}
		fmt.Fprintf(&lines, "%s,%s,%s%s\n", token, user, user, groups)
	}
	return lines.String()
}

// auditPolicy has what takes pods from nodes and what puts them there written down, with the user and the answer, for tests to read.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Request
  resources: [{group: "", resources: [pods/eviction, pods/binding]}]
- level: Request
  verbs: [delete, deletecollection]
  resources: [{group: "", resources: [pods]}]
- level: None
`

// folder is where the files of a cluster are.
type folder string

func (f folder) path(name string) string { return filepath.Join(string(f), name) }

func (f folder) write(name string, content []byte) error {
	return os.WriteFile(f.path(name), content, 0o600)
}

// writeSecrets writes the files that kube-apiserver reads.
func (f folder) writeSecrets(secrets *secrets) error {
	signing, err := pki.SigningKey()
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"ca.crt": secrets.authority.PEM, "server.crt": secrets.certificate, "server.key": secrets.key,
		"accounts.key": signing, "tokens.csv": []byte(secrets.tokenFile()),
		"audit.yaml": []byte(auditPolicy),
	} {
		if err := f.write(name, content); err != nil {
			return err
		}
	}
	return nil
}

// writeKubeconfig writes how a user reaches the API server, and returns the file.
func (f folder) writeKubeconfig(name, server, user string, secrets *secrets) (string, error) {
	type object = map[string]any
	text, err := yaml.Marshal(object{
		"apiVersion": "v1", "kind": "Config", "current-context": "testbed",
		"clusters": []object{{"name": "testbed", "cluster": object{
			"server": server, "certificate-authority-data": base64.StdEncoding.EncodeToString(secrets.authority.PEM),
		}}},
		"users":    []object{{"name": user, "user": object{"token": secrets.tokens[user]}}},
		"contexts": []object{{"name": "testbed", "context": object{"cluster": "testbed", "user": user}}},
	})
	if err != nil {
		return "", err
	}
	return f.path(name), f.write(name, text)
}

// writeSchedulerConfig writes a configuration of kube-scheduler for this cluster: the given one, in which only what ties it to
// a cluster is replaced.
func (f folder) writeSchedulerConfig(given, kubeconfig string) (string, error) {
	config := map[string]any{}
	if given != "" {
		text, err := os.ReadFile(given)
		if err != nil {
			return "", err
		}
		if err := yaml.Unmarshal(text, &config); err != nil {
			return "", fmt.Errorf("%s: %w", given, err)
		}
	}
	if _, ok := config["apiVersion"]; !ok {
		config["apiVersion"], config["kind"] = "kubescheduler.config.k8s.io/v1", "KubeSchedulerConfiguration"
	}
	connection, ok := config["clientConnection"].(map[string]any)
	if !ok {
		connection = map[string]any{}
	}
	connection["kubeconfig"] = kubeconfig
	config["clientConnection"], config["leaderElection"] = connection, map[string]any{"leaderElect": false}
	text, err := yaml.Marshal(config)
	if err != nil {
		return "", err
	}
	return f.path("scheduler.yaml"), f.write("scheduler.yaml", text)
}
