package git

import (
	"golang.org/x/sys/windows"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// owned refuses a repository of another user, as git does; safe.directory is not looked at.
func (r *repo) owned() error {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return refusal("whose repository this is cannot be told: " + err.Error())
	}
	admins, err := windows.CreateWellKnownSid(windows.WinBuiltinAdministratorsSid)
	if err != nil {
		return refusal("whose repository this is cannot be told: " + err.Error())
	}
	for _, p := range []sandbox.Path{r.top, r.gitDir} {
		sd, err := windows.GetNamedSecurityInfo(p.Abs(), windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
		if err != nil {
			return refusal("whose repository this is cannot be told: " + err.Error())
		}
		owner, _, err := sd.Owner()
		if err != nil {
			return refusal("whose repository this is cannot be told: " + err.Error())
		}
		if owner.Equals(user.User.Sid) {
			continue
		}
		member, err := windows.GetCurrentProcessToken().IsMember(admins)
		if err != nil || !member || !owner.Equals(admins) {
			return tools.Errorf(tools.PermissionDenied, "detected dubious ownership: %s belongs to another user", p.Abs())
		}
	}
	return nil
}
