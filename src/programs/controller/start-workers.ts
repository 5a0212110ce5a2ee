import type { WorkerPool } from '../workers/index.js';
import { isOver } from './ordered-stop.js';
import type { Controller } from './start-controller.js';

const PULSE_MILLIS = 1_000;
/** After this time the controller serves without the workers that are not ready. */
const START_MILLIS = 30_000;

/** Starts the workers of a controller, and keeps them informed. */
export async function startWorkers(
  workers: WorkerPool,
  controller: Controller,
  databaseUrl: string,
): Promise<void> {
  const { store, network, limits, keys, isWriting, events } = controller;
  const { feed } = network;
  network.changeListeners.push((changes) => {
    workers.deliver(changes);
  });
  keys.onChange(() => {
    workers.newKeys();
  });
  events.onLoginsWanted = (areWanted) => workers.reportLogins(areWanted);
  setInterval(() => {
    workers.pulse({ feedSilenceMillis: feed.silenceMillis, isWriting: isWriting() });
  }, PULSE_MILLIS).unref();
  const starting = workers.start({
    databaseUrl,
    position: () => feed.position,
    applyWrite: (write) => {
      store.applyWrite(write);
    },
    spentElsewhere: (spending) => {
      limits.spentElsewhere(spending);
    },
    onLogin: events.applyLogin,
    wantsLogins: () => events.wantsLogins,
    events,
    metrics: () => controller.metrics(),
  });
  await isOver(starting, START_MILLIS);
}
