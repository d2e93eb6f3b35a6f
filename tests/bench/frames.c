/* Preloaded into xscreensaver's programs by tools/bench-host. Their clock goes on by a thirtieth of a second with each
 * frame, they never sleep, and their random numbers are those of every run, so that all servers draw the same. After
 * the first frame and FRAMES more, a line of numbers goes to descriptor 3, and the program ends. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { kMost = 10000 };
static int frame;
static double times[kMost + 1];

static int compare(const void* a, const void* b) {
    return (*(const double*)a > *(const double*)b) - (*(const double*)a < *(const double*)b);
}

/* Of COUNT frames: frames per second, their number, milliseconds that all but one in a hundred take. */
static void report(int count) {
    double took[kMost];
    for (int i = 0; i < count; i++) took[i] = times[i + 1] - times[i];
    qsort(took, count, sizeof took[0], compare);
    dprintf(3, "%.3f %d %.3f\n", count / (times[count] - times[0]), count, 1000 * took[count - 1 - count / 100]);
}

unsigned eglSwapBuffers(void* display, void* surface) {
    static unsigned (*real)(void*, void*);
    if (real == NULL) real = (unsigned (*)(void*, void*))dlsym(RTLD_NEXT, "eglSwapBuffers");
    const unsigned swapped = real(display, surface);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    times[frame] = now.tv_sec + 1e-9 * now.tv_nsec;
    const int frames = atoi(getenv("FRAMES"));
    if (frame == (frames < kMost ? frames : kMost)) {
        report(frame);
        _exit(0);
    }
    frame++;
    return swapped;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
    (void)zone;
    const long microseconds = frame * 33333L;
    *now = (struct timeval){1000000000 + microseconds / 1000000, microseconds % 1000000};
    return 0;
}
time_t time(time_t* now) {
    const time_t seconds = 1000000000 + frame / 30;
    if (now != NULL) *now = seconds;
    return seconds;
}
pid_t getpid(void) {
    return 1;
}
int usleep(useconds_t pause) {
    (void)pause;
    return 0;
}
