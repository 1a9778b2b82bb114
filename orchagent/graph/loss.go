package graph

import "errors"

// Loss is what is said of a row that leaves packets of a lossless class to be dropped.
type Loss struct{ Err error }

// Error implements error.
func (l *Loss) Error() string { return l.Err.Error() }

// Unwrap returns what is said.
func (l *Loss) Unwrap() error { return l.Err }

// MeansLoss reports whether a Loss is among the errors that err wraps.
func MeansLoss(err error) bool {
	var l *Loss
	return errors.As(err, &l)
}
