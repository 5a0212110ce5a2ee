/** Ends with 0 when the controller on this machine calls itself healthy, and with 1 otherwise. */
import { request } from 'node:https';

const { OVERGRAPH_HOST = '127.0.0.1', OVERGRAPH_PORT = '1280' } = process.env;
const everywhere = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const asked = request({
  host: everywhere[OVERGRAPH_HOST] ?? OVERGRAPH_HOST,
  port: OVERGRAPH_PORT,
  path: '/health-checks?type=short',
  // It asks whether somebody answers, not who.
  rejectUnauthorized: false,
  timeout: 4000,
});
asked.on('response', (response) => {
  response.pipe(process.stdout);
  process.exitCode = response.statusCode === 200 ? 0 : 1;
});
asked.on('timeout', () => asked.destroy(new Error('no answer in time')));
asked.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
asked.end();
