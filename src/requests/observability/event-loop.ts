import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Unwell, type HealthCheck } from './health.js';

const RESOLUTION_MILLIS = 20;
const MAX_MILLIS = 500;
const NANOS_PER_MILLI = 1e6;

/** Checks the mean delay of timers since the last check, which shows an overloaded event loop. */
export function eventLoopCheck(): HealthCheck {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MILLIS });
  delay.enable();
  return {
    id: 'event-loop',
    run: () => {
      const mean = delay.count === 0 ? 0 : delay.mean / NANOS_PER_MILLI;
      delay.reset();
      if (mean > MAX_MILLIS) throw new Unwell('this controller is busy beyond its means');
    },
  };
}
