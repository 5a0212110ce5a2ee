import pg from 'pg';
import { childrenOf, type ProcessFacts } from './processor-time.js';

/*
 * Loaded into the controller's process before the controller itself (node --import): counts what is
 * sent to PostgreSQL and tells the parent on request. The controller is the built one, unchanged.
 */

export interface ProbeReport {
  /** Statements of the first process. */
  readonly statements: number;
  /** Bytes of memory that all processes hold now; what they share counts once. */
  readonly rss: number;
  /** Bytes that the first process held at the most. */
  readonly peakRss: number;
  /** Milliseconds of processor time of all processes since the start. */
  readonly cpu: number;
}

let statements = 0;
const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
const send = prototype.query;
prototype.query = function (...args) {
  statements += 1;
  return send.apply(this, args);
};

/** Workers load this file, too; the first process counts for them. */
const isWorker = process.argv[1]?.endsWith('worker-main.js') === true;

async function report(): Promise<ProbeReport> {
  const { user, system } = process.cpuUsage();
  const workers = await childrenOf(process.pid);
  const sum = (of: (worker: ProcessFacts) => number): number =>
    workers.reduce((total, worker) => total + of(worker), 0);
  return {
    statements,
    rss: process.memoryUsage.rss() + sum(({ ownMemory }) => ownMemory),
    peakRss: process.resourceUsage().maxRSS * 1024,
    cpu: (user + system) / 1000 + sum(({ cpu }) => cpu),
  };
}

if (!isWorker) {
  process.on('message', () => {
    void report().then((answer) => process.send?.(answer));
  });
  process.channel?.unref();
}
