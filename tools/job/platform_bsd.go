//go:build unix && !linux

package job

// fionread asks how much there is to read: _IOR('f', 127, int).
const fionread = 0x4004667f
