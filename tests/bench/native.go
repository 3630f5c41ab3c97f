// native.go - what Go takes for what tests/bench_*.c measure: name and nanoseconds, a line each.
package main

import (
	"fmt"
	"runtime"
	"sort"
	"sync"
	"time"
)

// The median of passes of so many turns, as tests/bench/bench.h does it.
func perTurn(turns int, pass func(turns int)) float64 {
	const passes = 31
	sample := make([]float64, passes)
	for i := range sample {
		start := time.Now()
		pass(turns)
		sample[i] = float64(time.Since(start).Nanoseconds()) / float64(turns)
	}
	sort.Float64s(sample)
	return sample[passes/2]
}

func row(name string, ns float64) { fmt.Printf("%s,%.2f\n", name, ns) }

// Two goroutines, a channel of one element each way.
func pingpong(turns int, recv func(<-chan uint64) uint64) {
	there, back := make(chan uint64, 1), make(chan uint64, 1)
	go func() {
		for i := 0; i < turns; i++ {
			back <- recv(there)
		}
	}()
	for i := 0; i < turns; i++ {
		there <- 7
		recv(back)
	}
}

func plain(c <-chan uint64) uint64 { return <-c }

// Seven of the eight never have anything.
var silent [8]chan uint64

func selects(c <-chan uint64) (v uint64) {
	select {
	case v = <-c:
	case v = <-silent[1]:
	case v = <-silent[2]:
	case v = <-silent[3]:
	case v = <-silent[4]:
	case v = <-silent[5]:
	case v = <-silent[6]:
	case v = <-silent[7]:
	}
	return
}

func main() {
	for i := range silent {
		silent[i] = make(chan uint64, 1)
	}
	runtime.GOMAXPROCS(1)
	row("pingpong_chan_mpmc_same", perTurn(2000, func(n int) { pingpong(n, plain) }))
	row("pingpong_select_8_same", perTurn(2000, func(n int) { pingpong(n, selects) }))
	var m sync.Mutex
	row("mutex", perTurn(2000, func(n int) {
		for i := 0; i < n; i++ {
			m.Lock()
			m.Unlock()
		}
	}))
	runtime.GOMAXPROCS(2)
	row("spawn_join_awake", perTurn(2000, func(n int) {
		var ended sync.WaitGroup
		for i := 0; i < n; i++ {
			ended.Add(1)
			go ended.Done()
			ended.Wait()
		}
	}))
}
