package code

import "testing"

func makeFIFO(testing.TB, string) {}
