package search

import "math/rand/v2"

// Sampler draws classes and positions; equal seeds draw equal ones.
type Sampler struct {
	shape Shape
	rand  *rand.Rand
}

// NewSampler starts a sampler.
func NewSampler(s Shape, seed uint64) *Sampler { return &Sampler{s, rand.New(rand.NewPCG(seed, 0))} }

// Class draws a class, all equally likely.
func (s *Sampler) Class() Class {
	mx, mz := s.shape.Moduli()
	return Class{s.rand.Uint32N(mx), s.rand.Uint32N(mz)}
}

// RootedClass draws a class among those with a root.
func (s *Sampler) RootedClass() Class {
	finder := rootFinder{shape: s.shape, even: evenStates()}
	for {
		if c := s.Class(); len(finder.append(nil, c)) > 0 {
			return c
		}
	}
}

// Members draws up to n different positions of the world in a class, in random order.
func (s *Sampler) Members(c Class, n int) []Pos {
	all := s.shape.Members(c)
	s.rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(n, len(all))]
}

// Position draws a position whose whole rectangle lies in the world.
func (s *Sampler) Position() Pos {
	return Pos{-WorldEdge + s.rand.Int32N(2*WorldEdge+2-int32(s.shape.K)), -WorldEdge + s.rand.Int32N(2*WorldEdge+2-int32(s.shape.L))}
}

// Classes draws n classes with up to per positions each.
func (s *Sampler) Classes(n, per int) []Pos {
	var out []Pos
	for range n {
		out = append(out, s.Members(s.Class(), per)...)
	}
	return out
}
