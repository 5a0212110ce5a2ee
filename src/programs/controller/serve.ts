import type { Logger } from 'pino';
import { banner } from './banner.js';
import type { Config } from '../configuration.js';
import { startController } from './start-controller.js';
import { listen, listenForMonitors } from './listener.js';
import type { EventSinkSettings } from '../../network/events/index.js';
import type { OrderedStop } from './ordered-stop.js';
import { progress } from './progress.js';
import { ServingConnections } from './serving-connections.js';
import { SharedPort } from './shared-port.js';
import { startRouters } from './start-routers.js';
import { startWorkers } from './start-workers.js';
import type { EmbeddedServer } from '../../data/store/embedded/index.js';
import type { WorkerPool } from '../workers/index.js';

export interface ServeOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly embedded: EmbeddedServer | undefined;
  readonly log: Logger;
  readonly ending: OrderedStop;
  /** The workers beside this process. */
  readonly workers: WorkerPool | undefined;
  /** The sinks of events; undefined: no events. */
  readonly events: readonly EventSinkSettings[] | undefined;
  /** Ends the program, which can not continue. */
  readonly onLost: (reason: string) => void;
}

const ROUTERS_MILLIS = 5_000;

/** Starts a controller with its listener, on a running database. */
export async function serve(options: ServeOptions): Promise<void> {
  const { config, log, ending, embedded, workers } = options;
  const controller = await startController({
    ...options,
    now: () => new Date(),
    processCount: () => 1 + (workers?.readyCount ?? 0),
    siblings: workers && {
      written: (write) => workers.written(write),
      spent: (spending) => {
        workers.spent(spending);
      },
      metrics: () => workers.metrics(),
    },
    onLost: () => {
      options.onLost(
        'the change log was pruned beyond what this controller had read: start it again',
      );
    },
  });
  ending.add('the controller', ServingConnections.controllerMillis, () => controller.stop());
  if (workers) await startWorkers(workers, controller, options.databaseUrl);
  const connections = new ServingConnections(controller, config);
  const isLimitedBySender = config.limits.addressRate > 0;
  const receive = workers
    ? workers.receiver(connections.receive, isLimitedBySender)
    : connections.receive;
  const routers = await startRouters({ config, controller, log, now: () => new Date() });
  ending.add('routers', ROUTERS_MILLIS, () => routers.stop());
  const { ctrlListen } = config;
  const shared = new SharedPort({
    routers: ctrlListen ? receive : routers.receive,
    passages: routers.receivePassage,
    others: receive,
  });
  const acceptor = await listen(config.listen, config.limits, shared.receive);
  const ctrlAcceptor =
    ctrlListen &&
    (await listen(ctrlListen, config.limits, routers.receive, 'OVERGRAPH_CTRL_LISTEN'));
  const { healthListen } = config;
  const monitors = healthListen && (await listenForMonitors(healthListen, controller.monitors));
  ending.add('connections', connections.stopMillis, async () => {
    const ended = workers?.stop();
    await connections.stop(() => {
      acceptor.close();
      ctrlAcceptor?.close();
      monitors?.close();
      shared.stop();
    });
    await ended;
  });
  progress(log, 'ready');
  banner({ config, acceptor, generatedPassword: controller.generatedPassword, embedded });
}
