package auth

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// expiry is the exp of a JWT, zero for any other text. The signature is the
// door's to judge: exp only tells when asking again is due.
func expiry(token string) time.Time {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return time.Time{}
	}
	var claims struct {
		Exp *float64 `json:"exp"`
	}
	if json.Unmarshal(payload, &claims) != nil || claims.Exp == nil || *claims.Exp < 0 || *claims.Exp > 1<<40 {
		return time.Time{}
	}
	return time.Unix(int64(*claims.Exp), 0)
}

func expired(token string, now time.Time) bool {
	exp := expiry(token)
	return !exp.IsZero() && !now.Before(exp)
}
