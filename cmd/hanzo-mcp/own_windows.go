package main

import "os"

// ownAlone trusts the folder: the user's profile is closed to others on Windows.
func ownAlone(string, os.FileInfo) error { return nil }
