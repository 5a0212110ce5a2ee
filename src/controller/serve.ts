import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { banner } from './banner.js';
import type { Config } from '../config.js';
import { Connections } from './connections.js';
import { startController } from './start-controller.js';
import { listen } from './listener.js';
import type { OrderedStop } from './ordered-stop.js';
import { progress } from './progress.js';
import type { EmbeddedServer } from '../store/embedded/index.js';

export interface ServeOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly embedded: EmbeddedServer | undefined;
  readonly log: Logger;
  readonly ending: OrderedStop;
  /** Ends the program, which can not continue. */
  readonly onLost: (reason: string) => void;
}

/** Longer than the time for the last requests. */
const CONNECTIONS_MS = 10_000;
const CONTROLLER_MS = 15_000;

/** Starts a controller with its listener, on a running database. */
export async function serve(options: ServeOptions): Promise<void> {
  const { config, log, ending, embedded } = options;
  const controller = await startController({
    ...options,
    now: () => new Date(),
    onLost: () => {
      options.onLost(
        'the change log was pruned beyond what this controller had read: start it again',
      );
    },
  });
  ending.add('the controller', CONTROLLER_MS, () => controller.stop());
  const server = await listen(config.listen, controller.app, controller.keys, config.limits);
  server.on('upgrade', controller.upgrade);
  const connections = new Connections(server);
  ending.add('connections', config.drainMs + CONNECTIONS_MS, async () => {
    controller.drain();
    await delay(config.drainMs);
    await controller.endSubscriptions();
    await connections.close(() => controller.busySockets());
  });
  progress(log, 'ready');
  banner({ config, server, generatedPassword: controller.generatedPassword, embedded });
}
