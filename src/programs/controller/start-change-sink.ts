import { join } from 'node:path';
import { ChangeSink, FileTarget, streamTarget } from '../../data/changes/index.js';
import type { Config } from '../configuration.js';
import { every } from './every.js';
import type { ChangeLog, Cursor } from '../../kernel/request/store-port.js';

const POLL_MILLIS = 500;
/** Pause after a failed write to the target. */
const PAUSE_MILLIS = 10_000;

interface ChangeSinkOptions {
  readonly config: Pick<Config, 'changes' | 'dataDir'>;
  readonly log: ChangeLog;
  readonly onError: (error: unknown) => void;
  readonly onLost: (after: Cursor) => void;
}

/** Writes changes to the configured target, if there is one. */
export function startChangeSink({
  config,
  log,
  onError,
  onLost,
}: ChangeSinkOptions): () => Promise<void> {
  const { sink } = config.changes;
  if (sink === undefined) return () => Promise.resolve();
  const target = sink === 'stdout' ? streamTarget(process.stdout) : new FileTarget(sink.file);
  const cursorFile = join(config.dataDir, 'changes-sink');
  const changes = new ChangeSink({ log, target, cursorFile, onLost });
  let running: Promise<void> = Promise.resolve();
  let remainingPauses = 0;
  const poll = async (): Promise<void> => {
    if (remainingPauses > 0) {
      remainingPauses -= 1;
      return;
    }
    running = changes.drain();
    await running.catch((error: unknown) => {
      remainingPauses = PAUSE_MILLIS / POLL_MILLIS;
      throw error;
    });
  };
  const timer = every(POLL_MILLIS, poll, onError);
  return async () => {
    clearInterval(timer);
    await running.catch(() => undefined);
    await target.close();
  };
}
