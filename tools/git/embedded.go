package git

import (
	"context"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

func (r *repo) goDiff(ctx context.Context, in diffIn, files []string) (*tools.Result, error) {
	return nil, unsupported("diff")
}
func (r *repo) goStatus(ctx context.Context, in statusIn, files []string) (*tools.Result, error) {
	return nil, unsupported("status")
}
func (r *repo) goLog(ctx context.Context, in logIn, files []string) (*tools.Result, error) {
	return nil, unsupported("log")
}
func (r *repo) goShow(ctx context.Context, in showIn, files []string) (*tools.Result, error) {
	return nil, unsupported("show")
}
func (r *repo) goBranch(ctx context.Context, in branchIn) (*tools.Result, error) {
	return nil, unsupported("branch")
}
func (r *repo) goAdd(ctx context.Context, in addIn) (*tools.Result, error) {
	return nil, unsupported("add")
}
func (r *repo) goCommit(ctx context.Context, in commitIn) (*tools.Result, error) {
	return nil, unsupported("commit")
}
func (t *git) goInit(c *tools.Call, dest sandbox.Path, in initIn, d madeData) (*tools.Result, error) {
	return nil, unsupported("init")
}
func (t *git) goClone(ctx context.Context, c *tools.Call, dest sandbox.Path, address string, folder string, in cloneIn, d madeData) (*tools.Result, error) {
	return nil, unsupported("clone")
}
