import './controller/process-settings.js';
import 'reflect-metadata';
import { loadConfig } from './configuration.js';
import { openLog } from './controller/open-log.js';
import { ProgramEnd } from './controller/program-end.js';
import { WorkerProcess } from './controller/serve-worker.js';

/*
 * A worker of a controller, which `workers/worker-pool.ts` starts. It ends when the first process
 * says so or has ended. Signals to all processes, as from a terminal, are for the first one.
 */

const end = new ProgramEnd();
const config = loadConfig(process.env);
const log = openLog(config, { worker: process.pid });
end.log = log;

process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('disconnect', () => process.exit(1));

new WorkerProcess({
  config,
  log,
  ending: end.steps,
  stop: () => {
    end.stop();
  },
  onStart: (starting) => {
    end.watch(starting);
  },
});
