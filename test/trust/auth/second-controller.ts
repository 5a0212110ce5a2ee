import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startController, type TestController } from '../../support/controller.js';

/** One more controller of the network of another: the same database and keys. */
export async function startBeside(
  first: TestController & { readonly dataDir: string },
  env: Record<string, string>,
): Promise<{ controller: TestController; stop: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'overgraph-second-'));
  await cp(join(first.dataDir, 'pki'), join(dataDir, 'pki'), { recursive: true });
  const { databaseUrl } = first;
  const controller = await startController({ env, with: { databaseUrl, dataDir } });
  const stop = async (): Promise<void> => {
    await controller.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { controller, stop };
}
