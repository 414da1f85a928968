/** Every verdict there is, in words: what it says about a number, and what to do about it. */

interface VerdictText {
  /** Two sentences. */
  means: string;
  advice: string;
}

/** The closed list: where a verdict of the API is shown, the compiler misses one it has not. */
export const VERDICTS = {
  ok: {
    means:
      'Nothing that is checked casts doubt on this number. Its interval still tells how far off it may be.',
    advice: 'Compare intervals, not estimates.',
  },
  generator_saturated: {
    means:
      'The load generator was at its limit, or could not send all that was asked. The number may be its own rather than the service’s.',
    advice:
      'Ask for a lower rate or fewer connections, or give the load more CPUs (TACHO_LOAD_CPUS).',
  },
  server_idle: {
    means:
      'Under full load the service left most of its CPU unused, with nothing behind it to wait for. Something else was the limit.',
    advice: 'Look for a pool, a lock or a limit in the service, or offer more connections.',
  },
  littles_law_violated: {
    means:
      'In any stable system the requests in flight equal rate × mean latency, and here they do not. At least one of these figures was miscounted.',
    advice: 'Do not use the number. Run it again, and report it if it comes back.',
  },
  too_many_errors: {
    means:
      'So many requests failed or were answered wrongly that the rest do not speak for the service. What refuses work looks fast.',
    advice: 'Lower the load until it succeeds; the log of the trial tells what went wrong.',
  },
  never_steady: {
    means:
      'The service was still changing while it was measured: not settled at the cap of the warm-up, or at another level later on. The number mixes two states.',
    advice:
      'Raise the cap of the warm-up or the duration; the charts over time show what moved, often a compiler or a collector.',
  },
  throttled: {
    means:
      'The kernel held the service back, or the CPU changed its frequency while it was measured. The number says what that limit allowed, not what the service can do.',
    advice: 'Remove the quota, set the governor to performance, and run it again.',
  },
  host_busy: {
    means:
      'Programs outside the trial used this host while it was measured. They take CPU and cache, and the tail of the latency suffers first.',
    advice: 'Stop them or measure on a host that is left alone, then run it again.',
  },
  too_few_trials: {
    means:
      'Too few fresh starts stand behind this number. Its interval is wide, and hardly anything can be concluded from it.',
    advice: 'Run at least five trials a cell.',
  },
  runtime_differs: {
    means:
      'The trials did not all run in the same runtime. Containers and processes are isolated and counted differently, so their numbers do not mix.',
    advice: 'Run all of it again in one runtime.',
  },
  environment_changed: {
    means:
      'The host or the harness changed between the trials, so they do not repeat one and the same thing. A difference may be the environment’s.',
    advice: 'Compare the environments below the result, then run the cell again in one go.',
  },
} as const satisfies Record<string, VerdictText>;

export type VerdictName = keyof typeof VERDICTS;
