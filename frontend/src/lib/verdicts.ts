/** Explains every verdict: what it means for a result, and what to do about it. */

interface VerdictText {
  /** Two sentences. */
  means: string;
  advice: string;
}

/** Texts of all verdicts. The compiler reports a missing one. */
export const VERDICTS = {
  ok: {
    means:
      'All checks passed. Those of heat and CPU frequency need a kernel that reports both; on virtual machines it seldom does.',
    advice:
      'The interval still shows how uncertain the number is. To compare two results, use their ratio with its interval, not the two estimates.',
  },
  work_not_done: {
    means:
      'The calls that reached a backing service or a peer do not match the requests that were answered. The service did not do the work that the scenario requires for each request.',
    advice:
      'Check that the service calls its upstream or its peers once for each request, without a cache and without batching.',
  },
  wrong_answers: {
    means:
      'At least one response was wrong, or many streams arrived in one piece. A number for wrong work cannot be compared.',
    advice:
      'Compare the first wrong response with the expected response, in the evidence below the result. Then fix the service.',
  },
  faster_than_possible: {
    means:
      'Some responses arrived before the time that the scenario makes each request wait. The service did not wait for its upstream, or sent a stream early.',
    advice: 'Look for a cache or a response that the service prepared in advance.',
  },
  behaviour_changed: {
    means:
      'The service passed verification before the load and failed it after the load. Its answers under load cannot be trusted.',
    advice: 'See the failed checks in the evidence below the result. Then fix the service.',
  },
  generator_saturated: {
    means:
      'The load generator used all of its CPU, or the script of the scenario worked all the time, so the load was the limit. The service may be able to do more.',
    advice:
      'Lower the rate or the number of connections, or give the load generator more CPUs (TACHO_LOAD_CPUS). A script uses one CPU only: if it was the limit, send the load from more load hosts instead.',
  },
  rate_missed: {
    means:
      'Requests were dropped, although the load generator had CPU left. The service did not answer in time, or the host delayed it.',
    advice: 'Lower the rate. If other programs use this host, stop them and run it again.',
  },
  server_idle: {
    means:
      'Under full load the service left most of its CPU unused, with no backing service to wait for. Something else was the limit.',
    advice: 'Look for a pool, a lock or a limit in the service, or offer more connections.',
  },
  littles_law_violated: {
    means:
      'In a stable system, requests in flight = rate × mean latency. Here this does not hold, so at least one figure is wrong.',
    advice: 'Do not use this result. Run it again, and report it if it happens again.',
  },
  too_many_errors: {
    means:
      'Too many requests failed. The rest do not represent the service, because rejecting work looks fast.',
    advice: 'Lower the load until requests succeed. The trial log shows what went wrong.',
  },
  never_steady: {
    means:
      'The service was still changing while it was measured: the load was not steady at the limit of the warm-up, or it changed by 10 % or more within the measured window. The number mixes two states, so it is not ranked.',
    advice:
      'Increase the limit of the warm-up. The charts over time show what changed; often it is the JIT compiler or the garbage collector.',
  },
  steadiness_not_tested: {
    means:
      'Too few seconds were measured to see whether the service was still changing. It may not have been warm, so the number is not ranked.',
    advice:
      'Measure for at least 10 s, with steps of at least 10 s. For a load that ends within seconds, allow at least 30 s of warm-up.',
  },
  throttled: {
    means:
      'A CPU quota throttled the service during the measurement. The number shows that limit, not what the service can do.',
    advice: 'Remove the CPU quota, and run it again.',
  },
  service_saturated: {
    means:
      'The service used all its CPU at a fixed rate. Its CPU per request is then its CPU time divided by the rate, whatever a request costs, so it is only a lower bound and is not ranked.',
    advice: 'Lower the rate, or give the service more cores.',
  },
  streams_bunched: {
    means:
      'In many streams several items arrived together while the service used all its CPU. Items that wait for the CPU are sent together, so this alone is not a wrong answer.',
    advice: 'To see each item arrive in time, offer fewer streams at once.',
  },
  host_disturbed: {
    means:
      'Heat, a change of the CPU frequency or a delay of the load generator disturbed a trial. The trial counts, and makes the interval wider.',
    advice:
      'Set the CPU governor to performance, cool the host, or run it again on an idle one for a narrower interval.',
  },
  speed_varied: {
    means:
      'The load changed within the trials, but in no common direction. A service that is not warm changes in one direction, so this points to the host: often another virtual machine uses the same cores. The interval is wider.',
    advice: 'For a narrower interval, use a machine of your own, or more trials.',
  },
  host_busy: {
    means:
      'Other programs used this host during the measurement. They take CPU and cache, which affects tail latency first.',
    advice: 'Stop them or use an idle host, then run it again.',
  },
  partly_checked: {
    means:
      'Tacho could not read CPU times during the measurement, so it could not make some of its checks. The result may have a fault that nobody sees.',
    advice: 'Run it again. If this returns, look for errors in the log of the worker.',
  },
  too_few_trials: {
    means: 'This result has too few trials, so its interval is wide. Treat it as a hint.',
    advice: 'Run at least five trials per result.',
  },
  runtime_differs: {
    means:
      'The trials ran in different runtimes. Containers and processes are isolated and measured differently, so their numbers cannot be combined.',
    advice: 'Run all trials again in one runtime.',
  },
  environment_changed: {
    means:
      'The host or the harness changed between the trials, so a difference may come from the environment.',
    advice: 'Compare the environments below the result, then repeat all trials in one run.',
  },
} as const satisfies Record<string, VerdictText>;

export type VerdictName = keyof typeof VERDICTS;
