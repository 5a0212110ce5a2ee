import { join } from 'node:path';
import { ChangeSink, FileTarget, streamTarget } from '../changes/index.js';
import type { Config } from '../config.js';
import { every } from './every.js';
import type { ChangeLog, Cursor } from '../kernel/request/store-port.js';

const LOOK_MILLIS = 500;
/** A target that can not be written is left alone for so long. */
const REST_MILLIS = 10_000;

interface Parts {
  readonly config: Pick<Config, 'changes' | 'dataDir'>;
  readonly log: ChangeLog;
  readonly onError: (error: unknown) => void;
  readonly onLost: (after: Cursor) => void;
}

/** Writes changes to where the configuration says, if it does. */
export function startChangeSink({ config, log, onError, onLost }: Parts): () => Promise<void> {
  const { sink } = config.changes;
  if (sink === undefined) return () => Promise.resolve();
  const target = sink === 'stdout' ? streamTarget(process.stdout) : new FileTarget(sink.file);
  const cursorFile = join(config.dataDir, 'changes-sink');
  const changes = new ChangeSink({ log, target, cursorFile, onLost });
  let running: Promise<void> = Promise.resolve();
  let rests = 0;
  const look = async (): Promise<void> => {
    if (rests > 0) {
      rests -= 1;
      return;
    }
    running = changes.drain();
    await running.catch((error: unknown) => {
      rests = REST_MILLIS / LOOK_MILLIS;
      throw error;
    });
  };
  const timer = every(LOOK_MILLIS, look, onError);
  return async () => {
    clearInterval(timer);
    await running.catch(() => undefined);
    await target.close();
  };
}
