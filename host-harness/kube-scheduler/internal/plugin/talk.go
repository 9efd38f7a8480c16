package plugin

import (
	"context"
	"fmt"
	"time"

	"lictor.dev/kube-scheduler/internal/wire"
)

const (
	// tries is how long to wait between two attempts to reach the host: at first, and at most.
	firstTry, longestTry = 20 * time.Millisecond, time.Second
	// settling is how long pods may take that were let go of.
	settling = 5 * time.Second
)

// dial connects, and tries again until it is too late.
func (p *Plugin) dial(ctx context.Context) (*talk, error) {
	hello := wire.Hello{
		Version: wire.Version, Client: "lictor.dev/kube-scheduler", Schedulers: []string{p.handle.ProfileName()},
	}
	for wait := firstTry; ; wait = min(2*wait, longestTry) {
		greeting, cancel := context.WithTimeout(ctx, p.args.Deadline.Duration)
		talk := &talk{plugin: p}
		conn, err := wire.Dial(greeting, p.args.Socket, hello, talk)
		cancel()
		if err == nil {
			talk.conn = conn
			p.claims.Store(&claims{labels: conn.Welcome.Labels, annotations: conn.Welcome.Annotations})
			return talk, nil
		}
		p.logger.V(3).Info("The policy host is not reached", "socket", p.args.Socket, "err", err)
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w; the last time: %w", ctx.Err(), err)
		case <-time.After(wait):
		}
	}
}

// keep holds a conversation with the host, and begins another one whenever it is lost.
func (p *Plugin) keep(ctx context.Context, talk *talk) {
	for {
		p.begin(ctx, talk)
		select {
		case <-ctx.Done():
			talk.conn.Close()
			return
		case <-talk.conn.Ended():
		}
		p.talk.Store(nil)
		p.feed.end()
		p.logger.Error(talk.conn.Err(), "The policy host is gone: pods that it is asked about wait for it")
		var err error
		if talk, err = p.dial(ctx); err != nil {
			return
		}
		p.logger.Info("The policy host is back", "policy", talk.conn.Welcome.Policy)
	}
}

// begin has a host answer that knows nothing yet. It does not know who holds a node: pods that wait at Permit are let go, to be tried again,
// before it is asked anything; those that are being bound are told as bound.
func (p *Plugin) begin(ctx context.Context, talk *talk) {
	p.letGo()
	late := time.NewTimer(settling)
	defer late.Stop()
	for isLate := false; !isLate && p.holding(); {
		select {
		case <-p.ended:
		case <-late.C:
			isLate = true
		case <-ctx.Done():
			isLate = true
		}
	}
	p.feed.begin(talk.conn, p.binding())
	p.talk.Store(talk)
	p.hints.back()
}
