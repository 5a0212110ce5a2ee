/** Ends with 0 when the controller on this machine calls itself healthy, and with 1 otherwise. */
import { request as requestPlain } from 'node:http';
import { request } from 'node:https';

const {
  OVERGRAPH_HOST = '127.0.0.1',
  OVERGRAPH_PORT = '1280',
  OVERGRAPH_HEALTH_LISTEN,
} = process.env;
const everywhere = { '0.0.0.0': '127.0.0.1', '::': '::1' };
const path = '/health-checks?type=short';
const timeout = 4000;

const asked = OVERGRAPH_HEALTH_LISTEN ? askMonitors(OVERGRAPH_HEALTH_LISTEN) : askSharedPort();
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

/** At the listener for monitors, `host:port`, where no client stands in the queue. */
function askMonitors(listen) {
  const colon = listen.lastIndexOf(':');
  const host = listen.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return requestPlain({
    host: everywhere[host] ?? host,
    port: listen.slice(colon + 1),
    path,
    timeout,
  });
}

function askSharedPort() {
  return request({
    host: everywhere[OVERGRAPH_HOST] ?? OVERGRAPH_HOST,
    port: OVERGRAPH_PORT,
    path,
    timeout,
    // It asks whether somebody answers, not who.
    rejectUnauthorized: false,
  });
}
