/**
 * `node attack.mjs <kind> <port> <requests a second> <token>`: sends what costs a controller most, from
 * the address 127.0.0.3 and as fast as it can up to the rate, until it is ended.
 */
import { Agent, request } from 'node:https';
import { connect } from 'node:tls';
import { WebSocket } from 'ws';

const [kind, port, rate, token] = process.argv.slice(2);
const localAddress = '127.0.0.3';
const CONNECTIONS = 200;
const WEB_SOCKETS = 20;
const TICK_MILLIS = 10;

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, rejectUnauthorized: false });
let count = 0;
let underWay = 0;

const repeat = (times, part) => Array.from({ length: times }, (_, i) => part(i)).join(' ');

const send = (method, path, body, headers = {}) => {
  underWay += 1;
  const done = () => {
    underWay -= 1;
  };
  const sending = request(
    { host: '127.0.0.1', port, method, path, agent, localAddress, headers },
    (response) => response.resume().on('close', done),
  );
  sending.on('error', done);
  sending.end(body);
};

const graph = (body, headers = {}, path = '/graphql') => {
  send('POST', path, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
};

const session = { 'zt-session': token };
const LARGE = 'x'.repeat(1_000_000);

const SENT = {
  'repeated fields': () =>
    graph({ query: `{ ${repeat(490, () => 'version{version}')} a${count}: version { version } }` }),
  'new documents': () =>
    graph({ query: `{ ${repeat(90, (i) => `a${count}_${i}: version { version buildDate }`)} }` }),
  'wrong documents': () => graph({ query: `{ ${repeat(300, (i) => `identitie${count}${i}`)} }` }),
  introspection: () =>
    graph({
      query: `{ __schema { a${count}: queryType { name } types { name fields { name args { name } } } } }`,
    }),
  'large variables': () =>
    graph({
      query: 'query ($w: IdentityWhere) { identities(where: $w) { totalCount } }',
      variables: { w: { or: Array(15_000).fill({}) } },
    }),
  filters: () => {
    const terms = repeat(
      120,
      (i) => `${i === 0 ? '' : 'or'} name = "${count}${i}" and tags.a${count} = ${i}`,
    );
    graph(
      {
        query: 'query ($f: String) { identities(filter: $f) { nodes { id } } }',
        variables: { f: terms },
      },
      session,
    );
  },
  'bodies of streams': () => graph({ query: LARGE }, {}, '/graphql/stream'),
};

function sendRequests() {
  const each = SENT[kind];
  setInterval(() => {
    const wanted = Math.ceil((Number(rate) * TICK_MILLIS) / 1000);
    // No more than the connections can take: the rest would wait here.
    for (let i = 0; i < wanted && underWay < 2 * CONNECTIONS; i += 1) {
      count += 1;
      each();
    }
  }, TICK_MILLIS);
}

function subscribe() {
  const query = 'subscription { changes(types: ["Service"]) { id type } }';
  const open = () => {
    const socket = new WebSocket(`wss://127.0.0.1:${port}/graphql`, 'graphql-transport-ws', {
      rejectUnauthorized: false,
      localAddress,
    });
    let timer;
    socket.on('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: session })),
    );
    socket.once('message', () => {
      timer = setInterval(() => {
        const wanted = Math.ceil((Number(rate) * TICK_MILLIS) / 1000 / WEB_SOCKETS);
        for (let i = 0; i < wanted && socket.bufferedAmount < 1_000_000; i += 1) {
          count += 1;
          const id = String(count);
          socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query } }));
          socket.send(JSON.stringify({ id, type: 'complete' }));
        }
      }, TICK_MILLIS);
    });
    socket.on('error', () => undefined);
    // One that is closed comes back at once.
    socket.on('close', () => {
      clearInterval(timer);
      setTimeout(open, TICK_MILLIS);
    });
  };
  for (let i = 0; i < WEB_SOCKETS; i += 1) open();
}

/** As many as may be open at once, again and again. */
function shakeHands() {
  let open = 0;
  setInterval(() => {
    for (; open < 900; open += 1) {
      const socket = connect({ host: '127.0.0.1', port, localAddress, rejectUnauthorized: false });
      socket.on('secureConnect', () => socket.destroy());
      socket.on('error', () => undefined);
      socket.on('close', () => (open -= 1));
    }
  }, 1_000);
}

if (kind === 'subscriptions') subscribe();
else if (kind === 'handshakes') shakeHands();
else sendRequests();
