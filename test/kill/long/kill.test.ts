import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TestController } from '../../support/controller.js';
import { isRoot } from '../../support/embedded.js';
import { Program } from '../../support/program.js';
import { isMachineIdle } from '../idle-machine.js';
import { KillRounds } from '../kill-rounds.js';
import { hasProcesses, killAnyway, processesWith } from '../processes.js';
import { pick, randomFrom } from '../random.js';
import { millisOf, percentile, tell } from '../recoveries.js';
import { KINDS, quietPort, Victim } from '../victim.js';

/**
 * Something of a controller with its own PostgreSQL is killed at random moments, again and again:
 * OVERGRAPH_KILL_ROUNDS times, 1,000 by default. OVERGRAPH_KILL_SEED repeats what was seen.
 */

const ROUNDS = Number(process.env.OVERGRAPH_KILL_ROUNDS ?? 1_000);
const SEED = Number(process.env.OVERGRAPH_KILL_SEED ?? Date.now() % 1_000_000);

/** The short tests beside this one end meanwhile. */
const IDLE_PATIENCE_MS = 90_000;
const HOUR = 3_600_000;

const P50_MS = 3_000;
const P99_MS = 10_000;

const withProcesses = hasProcesses ? describe : describe.skip;

withProcesses('a controller with its own PostgreSQL', () => {
  let rounds: KillRounds;
  let isIdle: boolean;
  beforeAll(async () => {
    isIdle = await isMachineIdle(IDLE_PATIENCE_MS);
    rounds = await KillRounds.begin(SEED);
  }, 5 * IDLE_PATIENCE_MS);
  afterAll(() => rounds.end(), IDLE_PATIENCE_MS);

  test(
    `loses nothing in ${String(ROUNDS)} kills, and is soon back`,
    async () => {
      const random = randomFrom(SEED + 1);
      const begun = performance.now();
      for (let i = 0; i < ROUNDS; i += 1) await rounds.round(pick(random, KINDS));
      await rounds.checkLedger(true);
      await rounds.checkIntegrity();
      process.stdout.write(`${summary(rounds, isIdle, performance.now() - begun)}\n`);
      const millis = millisOf(rounds.recoveries);
      expect(millis).toHaveLength(ROUNDS);
      if (!isIdle) return;
      expect(percentile(millis, 0.5)).toBeLessThan(P50_MS);
      expect(percentile(millis, 0.99)).toBeLessThan(P99_MS);
    },
    6 * HOUR,
  );
});

withProcesses('a first start', () => {
  const random = randomFrom(SEED + 2);
  let tookMs: number;
  beforeAll(async () => {
    const begun = performance.now();
    const victim = await Victim.begin(random);
    tookMs = performance.now() - begun;
    await victim.end();
  }, IDLE_PATIENCE_MS);

  test.each(Array.from({ length: Math.ceil(ROUNDS / 50) }, (_, i) => i + 1))(
    'that is killed at any moment is made up for by the next one (%d)',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'overgraph-kill-first-'));
      await chmod(folder, isRoot ? 0o711 : 0o700);
      const port = await quietPort(random);
      const env = { OVERGRAPH_DATA_DIR: folder, OVERGRAPH_PORT: String(port) };
      const killed = new Program(env);
      await delay(random() * tookMs);
      killed.child.kill('SIGKILL');
      if (random() < 0.5) for (const pid of await processesWith(folder)) killAnyway(pid);
      await killed.end();
      const program = new Program(env);
      await program.ready();
      const api = new TestController(port, '', () => Promise.resolve());
      const password = (await readFile(join(folder, 'admin-password'), 'utf8')).trim();
      expect(await api.login('admin', password)).not.toBe('');
      await api.stop();
      expect(await program.end('SIGTERM')).toBe(0);
      await rm(folder, { recursive: true, force: true });
    },
    5 * IDLE_PATIENCE_MS,
  );
});

const summary = ({ ledger, recoveries, seed }: KillRounds, isIdle: boolean, took: number): string =>
  [
    `kill: ${String(recoveries.length)} rounds in ${(took / 60_000).toFixed(1)} min, seed ${String(seed)}`,
    `machine ${isIdle ? 'idle' : 'busy: recovery is not judged'}`,
    `recovery in ms p50/p99/max: ${tell(recoveries)}`,
    `writes: ${String(ledger.acknowledged)} acknowledged, none lost;` +
      ` ${String(ledger.unanswered)} without an answer, ${String(ledger.carriedOut)} of them carried out`,
  ].join('; ');
