package faults

import (
	"bufio"
	"io"
	"iter"
	"maps"
	"mime"
	"net/http"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"
)

// watch is the body of an open watch. It can be ended between two events.
type watch struct {
	inner   io.ReadCloser
	forget  func()
	isJSON  bool
	reader  *io.PipeReader
	lock    sync.Mutex
	writer  *io.PipeWriter
	stopped bool
}

func keys(watches map[*watch]struct{}) iter.Seq[*watch] { return maps.Keys(watches) }

// follow passes the events of a watch on, and remembers it while it is open.
func (p *Proxy) follow(response *http.Response) io.ReadCloser {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	reader, writer := io.Pipe()
	watch := &watch{inner: response.Body, isJSON: kind == "application/json", reader: reader, writer: writer}
	watch.forget = func() {
		p.lock.Lock()
		delete(p.watches, watch)
		p.lock.Unlock()
	}
	p.lock.Lock()
	p.watches[watch] = struct{}{}
	p.lock.Unlock()
	go watch.copy()
	return watch
}

func (w *watch) copy() {
	defer w.forget()
	if !w.isJSON {
		_, err := io.Copy(w.writer, w.inner)
		_ = w.writer.CloseWithError(err)
		return
	}
	lines := bufio.NewReader(w.inner)
	for {
		line, err := lines.ReadBytes('\n')
		if stopped := w.pass(line); stopped {
			return
		}
		if err != nil {
			_ = w.writer.CloseWithError(err) // An end of the file is one for the client, too.
			return
		}
	}
}

// pass hands an event to the client, unless the watch has been ended.
func (w *watch) pass(line []byte) (stopped bool) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if !w.stopped && len(line) > 0 {
		_, _ = w.writer.Write(line) // A client that is gone closes the body.
	}
	return w.stopped
}

// end ends the watch as the API server does when its time is over, or when its resource version has become too old.
func (w *watch) end(expired bool) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.stopped {
		return
	}
	w.stopped = true
	if expired && w.isJSON {
		gone := status(http.StatusGone, metav1.StatusReasonExpired, "a test asked for it: too old resource version")
		if line, err := json.Marshal(map[string]any{"type": "ERROR", "object": gone}); err == nil {
			_, _ = w.writer.Write(append(line, '\n'))
		}
	}
	_ = w.writer.Close()
	_ = w.inner.Close()
}

// Read is of the body that the client gets.
func (w *watch) Read(bytes []byte) (int, error) { return w.reader.Read(bytes) }

// Close is called when the client has gone.
func (w *watch) Close() error {
	_ = w.reader.Close()
	w.forget()
	return w.inner.Close()
}
