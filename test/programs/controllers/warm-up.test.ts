import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startWarmUp } from '../../../src/programs/controller/warm-up.js';
import type { RequestContext } from '../../../src/kernel/request/context.js';
import { eventually } from '../../support/eventually.js';
import { InProcess } from '../../support/in-process.js';

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

/** Begins as a controller with so many identities does. */
function started(identities: number, delayMillis: number, onContext = (): void => undefined) {
  const seen = { contexts: 0, errors: [] as unknown[] };
  const context = (): RequestContext => {
    seen.contexts += 1;
    onContext();
    return controller.ctx();
  };
  const onError = (error: unknown): void => void seen.errors.push(error);
  const index = { count: () => identities };
  return { seen, stop: startWarmUp({ index, context, onError, delayMillis }) };
}

/** Those that are due now. */
const timersHaveRun = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));

describe('after the start', () => {
  test('three maps are made, without a statement', async () => {
    const before = controller.parts.database.statements;
    const { seen, stop } = started(10, 0);
    await eventually(() => {
      expect(seen.contexts).toBe(3);
    });
    await stop();
    expect(seen).toStrictEqual({ contexts: 3, errors: [] });
    expect(controller.parts.database.statements - before).toBe(0);
  });

  test('no map of a very large network is made', async () => {
    const { seen, stop } = started(200_001, 0);
    await timersHaveRun();
    await stop();
    expect(seen).toStrictEqual({ contexts: 0, errors: [] });
  });

  test('it is called off by a stop during the first map', async () => {
    let stopped: Promise<void> | undefined;
    const { seen, stop } = started(10, 0, () => {
      stopped = stop();
    });
    await eventually(() => {
      expect(stopped).toBeDefined();
    });
    await stopped;
    await timersHaveRun();
    expect(seen).toStrictEqual({ contexts: 1, errors: [] });
  });

  test('it is called off by a stop before it', async () => {
    const { seen, stop } = started(10, 0);
    await stop();
    await timersHaveRun();
    expect(seen).toStrictEqual({ contexts: 0, errors: [] });
  });
});
