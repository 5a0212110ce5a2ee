/**
 * A process that supervises the embedded server of a data directory, so that tests can kill it:
 * `node run-embedded.mjs <data directory> [<adoption time in ms>]`. Says what it got in one line of
 * JSON.
 */
import { startEmbedded } from '../../dist/src/data/store/embedded/index.js';

const log = { info: () => {}, warn: () => {}, error: console.error };
const [, , dataDir, adoptionMs] = process.argv;
const server = await startEmbedded({
  dataDir,
  log,
  settings: { fsync: 'off' },
  ...(adoptionMs && { adoptionMs: Number(adoptionMs) }),
});
const { url, directory, adopted } = server;
console.log(JSON.stringify({ url, directory, adopted }));
const stop = () => void server.stop().then(() => process.exit(0));
process.once('SIGTERM', stop);
// The test that started us is gone.
process.stdin.once('end', stop).resume();
