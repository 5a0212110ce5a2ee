/**
 * `node test/support/controller-host.mjs`, started by host-of-controllers.ts: runs the controllers of the test files
 * of one worker, one after the other, or several of one file. The program is loaded and its schema is built
 * in memory once, which costs more than all else that most files ask of a controller.
 */
import '../../dist/src/programs/controller/process-settings.js';
import 'reflect-metadata';
import { loadConfig } from '../../dist/src/programs/configuration.js';
import { configuredEventSinks } from '../../dist/src/programs/controller/configured-event-sinks.js';
import { openLog } from '../../dist/src/programs/controller/open-log.js';
import { OrderedStop } from '../../dist/src/programs/controller/ordered-stop.js';
import { serve } from '../../dist/src/programs/controller/serve.js';
import { openDataDir } from '../../dist/src/data/store/data-dir.js';

const DATA_DIR_MS = 2_000;

/** The ends of running controllers by number. */
const running = new Map();

/** Starts a controller as `src/programs/main.ts` does, on the database that `env` names. */
async function start(number, env) {
  const config = loadConfig(env);
  const log = openLog(config);
  const ending = new OrderedStop((line) => {
    process.stderr.write(`controller ${number}: while stopping: ${line}\n`);
  });
  running.set(number, ending);
  const dataDir = await openDataDir(config.dataDir);
  ending.add('the data directory', DATA_DIR_MS, () => dataDir.release());
  await serve({
    config,
    databaseUrl: config.database.url,
    embedded: undefined,
    log,
    ending,
    workers: undefined,
    events: config.events === undefined ? undefined : configuredEventSinks(config, log),
    onLost: (reason) => {
      throw new Error(reason);
    },
  });
}

async function stop(number) {
  await running.get(number)?.run();
  running.delete(number);
}

process.on('message', ({ number, env }) => {
  const work = env ? start(number, env) : stop(number);
  work.then(
    () => process.send({ number }),
    (error) => process.send({ number, fault: String(error.stack) }),
  );
});
process.on('disconnect', () => process.exit());
