import { WebSocket, type RawData } from 'ws';
import { jsonOf, type CallerKind, type FuzzRequest } from './fuzz-request.js';
import { NoAnswer, type Outcome } from './raw-client.js';
import { mutateText } from './mutate-text.js';
import { mutateValue } from './mutate-value.js';
import { oddText, oddValue, type LeftOut } from './odd-values.js';
import { filledIn, inJson, type Lookup } from './placeholders.js';
import type { Random } from './random.js';
import { someId } from './values.js';

/* Messages on a WebSocket by the protocol graphql-transport-ws, and others. */

export const SOCKETS = 'graphql socket';

const SUBSCRIPTIONS = [
  'subscription { changes { id } }',
  'subscription F($s: ID) { changes(since: $s, types: ["service"]) { id operation } }',
  'subscription { accessChanges(type: Dial) { change { id } } }',
  '{ version { version } }',
  'mutation { createService(input: {name: "a", encryptionRequired: true}) { id } }',
  'subscription { __typename }',
];

/** A batch of messages that are sent one after the other on one socket. */
export function socketBatch(
  index: number,
  caller: CallerKind,
  random: Random,
  leftOut: LeftOut,
): FuzzRequest {
  const isSound = random.chance(40);
  const init = { type: 'connection_init' };
  const messages = random.list(1, 8, (i) => subscribed(random, `s${String(isSound ? i : 0)}`));
  const all = [...random.some([init], 90), ...messages, { type: 'complete', id: 's0' }];
  const texts = all.map((message) =>
    isSound || random.chance(50) ? JSON.stringify(message) : damaged(message, random, leftOut),
  );
  return {
    index,
    operation: SOCKETS,
    caller,
    method: 'GET',
    path: '/graphql',
    query: [],
    headers: [],
    body: { kind: 'json', value: texts },
    framing: 'length',
    mutations: isSound ? [] : ['messages'],
  };
}

const subscribed = (random: Random, id: string): object => ({
  id,
  type: 'subscribe',
  payload: {
    query: random.pick(SUBSCRIPTIONS),
    ...(random.chance(50) ? { variables: { s: someId(random, 'changes') } } : {}),
  },
});

const damaged = (message: object, random: Random, leftOut: LeftOut): string =>
  random.made([
    [4, () => jsonOf(mutateValue(message, random, leftOut))],
    [3, () => mutateText(JSON.stringify(message), random, leftOut)],
    [1, () => oddText(random, leftOut)],
    [1, () => JSON.stringify(oddValue(random, leftOut))],
    [1, () => JSON.stringify({ type: random.pick(['ping', 'pong', 'next', 'error', 'x']) })],
    [1, () => JSON.stringify({ type: 'connection_init', payload: oddValue(random, leftOut) })],
  ]);

const LAST = { id: 'the last', type: 'subscribe', payload: { query: '{ __typename }' } };

const PATIENCE_MILLIS = 60_000;
const ABNORMAL = 1006;
const INTERNAL = [1011, 4500];
const STATUS_OF_FAULT = 500;

/** Sends a batch; its outcome is 500 when the server closes for a fault of its own. */
export function sendBatch(
  port: number,
  { body, headers }: FuzzRequest,
  lookup: Lookup,
  session: string | undefined,
): Promise<Outcome> {
  const texts = (body.kind === 'json' ? body.value : []) as string[];
  const socket = new WebSocket(`wss://127.0.0.1:${String(port)}/graphql`, 'graphql-transport-ws', {
    rejectUnauthorized: false,
    handshakeTimeout: PATIENCE_MILLIS,
    headers: {
      ...Object.fromEntries(headers),
      ...(session === undefined ? {} : { 'zt-session': session }),
    },
  });
  return new Promise((resolve, reject) => {
    let received = '';
    const timer = setTimeout(() => {
      reject(new NoAnswer(`the socket is silent; received: ${received.slice(0, 300)}`));
      socket.terminate();
    }, PATIENCE_MILLIS);
    socket.on('open', () => {
      for (const text of texts) socket.send(filledIn(text, lookup, inJson));
      // Is answered whatever came before it, by the end of the socket if need be.
      socket.send(JSON.stringify(LAST));
    });
    socket.on('message', (data: RawData) => {
      const text = (data as Buffer).toString();
      received += `${text}\n`;
      if (text.includes(`"id":"${LAST.id}"`)) socket.close();
    });
    socket.on('error', (error) => {
      clearTimeout(timer);
      reject(new NoAnswer(error.message));
    });
    socket.on('close', (code: number, reason: Buffer) => {
      clearTimeout(timer);
      const isFault = INTERNAL.includes(code);
      if (code === ABNORMAL) reject(new NoAnswer('the socket was cut'));
      const status = isFault ? STATUS_OF_FAULT : 101;
      resolve({
        status,
        headers: new Map(),
        text: `${received}${String(code)} ${reason.toString()}`,
      });
    });
  });
}
