import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Child } from './child.js';
import { ask, paced } from './load.js';
import { newCertificates } from './logins.js';
import { login } from './measure.js';
import { ProcessorMeter } from './processor-time.js';
import { millis, timesTable, type TimesResult } from './report.js';
import { compiled, type Stage } from './stage.js';
import type { WaveReport } from './wave-clients.js';

/*
 * Many clients log in within a minute, as when a network announces OpenID Connect, while somebody else
 * reads. The clients share the machine with the controller and its database.
 */

export const WAVE = { name: 'wave of oidc logins' };

const MAX_LOGINS = 10_000;
const SECONDS = 60;
const READS_PER_SECOND = 50;
const PROBES_PER_SECOND = 1;
/** Before the wave, to compare with. */
const QUIET_MILLIS = 5_000;

export async function measureWave(stage: Stage): Promise<string> {
  const count = Math.min(MAX_LOGINS, stage.size.identities);
  const seconds = (SECONDS * count) / MAX_LOGINS;
  const file = join(stage.dataDir, 'certificates.json');
  await writeFile(file, JSON.stringify(await newCertificates(stage, count)), { mode: 0o600 });
  const args = [compiled('wave-clients.js'), stage.controller, file, String(seconds)];
  const clients = await Child.start(args, {}, 'ready');
  try {
    const token = await login(stage);
    const read = async (): Promise<number> => {
      await ask(
        stage.controller,
        { method: 'GET', path: '/edge/client/v1/current-identity' },
        token,
      );
      return performance.now();
    };
    const quiet = await paced(read, READS_PER_SECOND, pause(QUIET_MILLIS));
    const wave = clients.ask<WaveReport>();
    const meter = new ProcessorMeter(stage);
    const [beside, probes] = await Promise.all([
      meter.measure(() => paced(read, READS_PER_SECOND, wave)),
      paced(() => askForHealth(stage), PROBES_PER_SECOND, wave),
    ]);
    return lines(await wave, seconds, [
      { name: 'a read, before the wave', millis: quiet.times, target: undefined },
      { name: 'a read, during the wave', millis: beside.times, target: 100 },
      { name: 'health at its own port', millis: probes.times, target: 1_000 },
    ]);
  } finally {
    await clients.stop();
  }
}

/** As a probe asks: on a connection of its own. */
async function askForHealth({ monitors }: Stage): Promise<number> {
  const { status } = await fetch(`${monitors}/health-checks`, { headers: { connection: 'close' } });
  if (status !== 200) throw new Error(`health answered ${String(status)} during the wave`);
  return performance.now();
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function lines(
  { logins, seconds, deferred, failed, reasons, millis: of }: WaveReport,
  planned: number,
  times: readonly TimesResult[],
): string {
  const sorted = of.toSorted((a, b) => a - b);
  const at = (share: number): string => millis(sorted[Math.floor(sorted.length * share)] ?? 0);
  return [
    `${logins.toLocaleString('en')} logins begun within ${planned.toFixed(0)} s: ${String(sorted.length)} done after ${seconds.toFixed(1)} s (${(sorted.length / seconds).toFixed(0)}/s), p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
    `refused with Retry-After: ${String(deferred)}; failed in another way: ${String(failed)}${reasons.map((reason) => `\n  ${reason}`).join('')}`,
    '',
    timesTable('what others ask for', times),
  ].join('\n');
}
