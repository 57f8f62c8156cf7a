package hooks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// maxAuditField bounds each text of an entry, in bytes; names come from the caller and may be of any length.
const maxAuditField = 512

// Entry is one evaluation, as it is logged.
type Entry struct {
	Time      time.Time
	Subject   Subject
	Verdict   Verdict
	SessionID string
	Outcome   string // what became of the call: "allowed", "denied", "confirmed", "refused", …
}

// Audit appends evaluations to a file, one JSON line and one write each. A nil Audit logs nothing. It is safe for
// concurrent use, also by several processes on one file.
type Audit struct {
	mu   sync.Mutex
	file *os.File
	warn func(string)
	told bool
}

// OpenAudit opens the log, and creates it and its folder for their owner alone (0600, 0700). A link, anything but a regular file, and a file
// that others own or may write is refused. The warn func gets one line, once, when a later write fails; nil drops it.
func OpenAudit(path string, warn func(line string)) (*Audit, error) {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	var file *os.File
	if err == nil {
		file, err = openAudit(path)
	}
	if err != nil {
		return nil, fmt.Errorf("opening the audit log: %w", err)
	}
	if err := checkAudit(file); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the audit log %s: %w", path, err), file.Close())
	}
	return &Audit{file: file, warn: warn}, nil
}

// Log appends one entry. It never fails a call: the first failure is told through the warn func.
func (a *Audit) Log(e Entry) {
	if a == nil {
		return
	}
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(struct {
		Timestamp   string `json:"timestamp"`
		ToolName    string `json:"tool_name"`
		Action      string `json:"action"`
		Mode        string `json:"mode"`
		RuleMatched string `json:"rule_matched"`
		Tier        string `json:"tier"`
		Reason      string `json:"reason"`
		SessionID   string `json:"session_id"`
		Outcome     string `json:"outcome"`
	}{
		e.Time.UTC().Format(time.RFC3339Nano), field(e.Subject.Tool), field(e.Subject.Action), e.Verdict.Mode.String(),
		field(e.Verdict.Rule), field(e.Verdict.Tier), field(e.Verdict.Reason), field(e.SessionID), field(e.Outcome),
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		_, err = a.file.Write(line.Bytes())
	}
	if err != nil && !a.told && a.warn != nil {
		a.told = true
		a.warn(fmt.Sprintf("the audit log cannot be written: %v", err))
	}
}

// Close closes the file.
func (a *Audit) Close() error {
	if a == nil {
		return nil
	}
	return a.file.Close()
}

func field(text string) string {
	return cut(strings.ToValidUTF8(text, "\uFFFD"), maxAuditField)
}
