package sample

import "fmt"

// Shape has an area.
type Shape interface {
	Area() float64
	fmt.Stringer
}

type (
	// Square is a shape.
	Square struct {
		fmt.Stringer
		side, height float64
	}
	Meter = float64
)

const Max = 3

const (
	one = iota
	Two
)

var table = map[string]int{
	"a": 1,
}

// Area of the square.
func (s *Square) Area() float64 { return s.side * s.height }

func (l List[T]) Len() int {
	type local struct{ x int }
	return 0
}

func Map[K comparable, V any](
	m map[K]V, // the map
	f func(K, V) bool,
) (out []V) {
	return nil
}
