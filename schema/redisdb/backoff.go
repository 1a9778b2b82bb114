package redisdb

import (
	"context"
	"time"

	"github.com/sirupsen/logrus"
)

const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
	// complainEvery is how often something that goes on failing is logged.
	complainEvery = 30 * time.Second
)

// backoff paces attempts: each pause is twice the one before. The zero value is
// ready.
type backoff struct {
	pause      time.Duration
	complained time.Time
}

// sleep waits for the next attempt; its error is that of ctx.
func (b *backoff) sleep(ctx context.Context) error {
	b.pause = min(max(firstPause, 2*b.pause), lastPause)
	timer := time.NewTimer(b.pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// complain logs the first failure and then one now and again.
func (b *backoff) complain(log logrus.FieldLogger, err error, message string) {
	if now := time.Now(); now.Sub(b.complained) >= complainEvery {
		b.complained = now
		log.WithError(err).Warn(message)
	}
}
