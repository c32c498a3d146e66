package outfile

import (
	"errors"
	"os"
	"sync"
)

// unfinished are the temporary files of this process, so that one that must end in the middle of a call leaves none behind. A process
// ends as a whole, hence the one list.
var unfinished struct {
	sync.Mutex
	temps     map[string]bool
	abandoned bool
}

var errAbandoned = errors.New("the program is ending")

// Abandon removes every temporary file; from then on none is made and none gets its name.
func Abandon() {
	unfinished.Lock()
	defer unfinished.Unlock()
	unfinished.abandoned = true
	for temp := range unfinished.temps {
		_ = os.Remove(temp)
	}
	clear(unfinished.temps)
}

// createTemp makes and enters a temporary file.
func createTemp(folder, pattern string) (*os.File, error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.abandoned {
		return nil, errAbandoned
	}
	f, err := os.CreateTemp(folder, pattern)
	if err == nil {
		if unfinished.temps == nil {
			unfinished.temps = map[string]bool{}
		}
		unfinished.temps[f.Name()] = true
	}
	return f, err
}

// forget crosses out a temporary file that is removed or has its name.
func forget(temp string) {
	unfinished.Lock()
	defer unfinished.Unlock()
	delete(unfinished.temps, temp)
}
