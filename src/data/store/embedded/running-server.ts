import { realpath } from 'node:fs/promises';
import { ask } from './ask.js';
import { endpointOf } from './bring-up.js';
import { urlOf } from './endpoint.js';
import { findHome } from './home.js';
import type { EmbeddedLog } from './log.js';
import { isLive, readPidFile } from './pid-file.js';

/** The URL of the server that runs in a data directory now, whichever process started it. */
export async function runningServer(
  dataDir: string,
  log: EmbeddedLog,
): Promise<string | undefined> {
  const home = await findHome(await realpath(dataDir), log);
  const file = await readPidFile(home);
  if (!file || !(await isLive(home, file))) return undefined;
  const endpoint = await endpointOf(home, file);
  const answers = endpoint && (await ask(home, endpoint)) === 'ready';
  return answers ? urlOf(endpoint, 'postgres') : undefined;
}
