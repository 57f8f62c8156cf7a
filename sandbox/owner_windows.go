package sandbox

import (
	"io/fs"
	"os"
)

func keepOwner(*os.File, fs.FileInfo) {}
