package plugin

import (
	"context"
	"fmt"
	"time"
)

// requestDeadline is how long one request to the API server may take: it answers within 60 s (`--request-timeout` of kube-apiserver), or not at
// all. A request that was given up earlier could still be carried out.
const requestDeadline = time.Minute

// underWay names a command that is being carried out. Each conversation has numbers of its own.
type underWay struct {
	talk *talk
	id   uint64
}

// request sends one request, which is given up after its deadline. Then it is not known whether the API server has carried it out.
func (p *Plugin) request(ctx context.Context, send func(context.Context) error) error {
	limit := p.requestDeadline
	if limit == 0 {
		limit = requestDeadline
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := send(limited)
	// Clients say it in errors of several kinds.
	if err != nil && limited.Err() == context.DeadlineExceeded {
		return fmt.Errorf("the API server has not answered within %s: %w", limit, context.DeadlineExceeded)
	}
	return err
}
