import pg from 'pg';

/*
 * Loaded into the controller's process before the controller itself (node --import): counts what is
 * sent to PostgreSQL and tells the parent on request. The controller is the built one, unchanged.
 */

export interface ProbeReport {
  readonly statements: number;
  /** Bytes of memory that the process holds, now and at the most. */
  readonly rss: number;
  readonly peakRss: number;
  /** Milliseconds of processor time since the start. */
  readonly cpu: number;
}

let statements = 0;
const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
const send = prototype.query;
prototype.query = function (...args) {
  statements += 1;
  return send.apply(this, args);
};

process.on('message', () => {
  const report: ProbeReport = {
    statements,
    rss: process.memoryUsage.rss(),
    peakRss: process.resourceUsage().maxRSS * 1024,
    cpu: process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000,
  };
  process.send?.(report);
});
process.channel?.unref();
