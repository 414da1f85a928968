/* Shifts the wall clock of a process, of a process and its children, or of all processes, and no
   other clock. `tools.chaos.clock` preloads it into all parts of an installation, and writes the
   shift into the file. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { OF_PROCESS, OF_PROCESS_AND_CHILDREN, OF_ALL };

struct shift {
  int32_t pid;
  int32_t seconds;
  int32_t scope;
};

static const volatile struct shift *shift;
static int (*read_clock)(clockid_t, struct timespec *);

__attribute__((constructor)) static void open_shift(void) {
  const char *path = getenv("TACHO_CHAOS_CLOCK");
  read_clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *found = mmap(NULL, sizeof(struct shift), PROT_READ, MAP_SHARED, file, 0);
  if (found != MAP_FAILED) shift = found;
  close(file);
}

static int is_shifted(void) {
  if (!shift || !shift->seconds) return 0;
  if (shift->scope == OF_ALL || shift->pid == getpid()) return 1;
  return shift->scope == OF_PROCESS_AND_CHILDREN && shift->pid == getppid();
}

int clock_gettime(clockid_t clock, struct timespec *at) {
  int failed = read_clock ? read_clock(clock, at) : (int)syscall(SYS_clock_gettime, clock, at);
  int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  if (!failed && is_wall && is_shifted()) at->tv_sec += shift->seconds;
  return failed;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
