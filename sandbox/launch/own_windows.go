package launch

// ownFolder trusts the access lists of the user's profile.
func ownFolder(string) error { return nil }
