import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { WebSocket } from 'ws';
import type { Envelope } from '../../../support/controller.js';
import { PASSWORD, sessionIn } from '../client.js';
import {
  atDoors,
  COUNTS,
  type Attempt,
  type Outcome,
  type RequestDoor,
  type Whose,
} from './matrix.js';
import { outcomeOf, type Net, type Operation, type Someone } from './net.js';

/* JWTs as second factors, of administrators: the JWT of another administrator does not count. */

const PROOF = 'JWT as a second factor';
const DOORS: readonly RequestDoor[] = ['client REST', 'management REST', 'GraphQL'];
const REFUSED = '401 UNAUTHORIZED: token does not name the identity of the session';

const OWN_IDENTITY: Operation = {
  method: 'GET',
  path: '/current-identity',
  document: '{ currentIdentity { id } }',
};

/** An administrator whose auth policy requires a JWT, and the JWTs of it and of another one. */
async function prepared(net: Net): Promise<{
  readonly someone: Someone;
  readonly jwtOf: (whose: Whose) => Promise<string>;
}> {
  const secondary = { requireExtJwtSigner: net.signerId };
  const input = { isAdmin: true, authPolicyId: await net.newPolicy({ secondary }) };
  const [someone, other] = [await net.newSomeone(input), await net.newIdentity(input)];
  return { someone, jwtOf: (whose) => net.signer.jwt(whose === 'own' ? someone.id : other) };
}

type Headers = Readonly<Record<string, string>>;

/** A request that lasts, with the session of an administrator and a JWT. */
const lasting =
  (request: (port: number, headers: Headers) => Promise<Outcome>): Attempt['prepare'] =>
  async (net) => {
    const { someone, jwtOf } = await prepared(net);
    return async (whose) =>
      request(net.controller.port, {
        'zt-session': someone.token,
        authorization: `Bearer ${await jwtOf(whose)}`,
      });
  };

const urlOf = (port: number, path: string): string => `wss://127.0.0.1:${String(port)}${path}`;

async function greetGraph(port: number, headers: Headers): Promise<Outcome> {
  const options = { rejectUnauthorized: false, headers };
  const socket = new WebSocket(urlOf(port, '/graphql'), 'graphql-transport-ws', options);
  socket.on('error', () => undefined);
  socket.once('open', () => {
    socket.send(JSON.stringify({ type: 'connection_init' }));
  });
  const outcome = await new Promise<Outcome>((resolve) => {
    socket.once('message', (message: Buffer) => {
      const { type } = JSON.parse(message.toString()) as { type: string };
      resolve(type === 'connection_ack' ? COUNTS : type);
    });
    socket.once('close', (code) => {
      resolve(`closed with ${String(code)}`);
    });
  });
  socket.terminate();
  return outcome;
}

async function greetManagement(port: number, headers: Headers): Promise<Outcome> {
  const options = { rejectUnauthorized: false, headers };
  const socket = new WebSocket(urlOf(port, '/fabric/v1/ws-api'), options);
  socket.on('error', () => undefined);
  const response = await new Promise<IncomingMessage | undefined>((resolve) => {
    socket.once('open', () => {
      resolve(undefined);
    });
    socket.once('unexpected-response', (_, refused) => {
      resolve(refused);
    });
  });
  const outcome = response ? await refusalIn(response) : COUNTS;
  socket.terminate();
  return outcome;
}

async function subscribeByStream(port: number, headers: Headers): Promise<Outcome> {
  const query = new URLSearchParams({ query: 'subscription { changes { id } }' });
  const request = httpsRequest(
    `https://127.0.0.1:${String(port)}/graphql/stream?${String(query)}`,
    {
      rejectUnauthorized: false,
      headers: { accept: 'text/event-stream', ...headers },
    },
  );
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject).end();
  });
  const outcome = response.statusCode === 200 ? COUNTS : await refusalIn(response);
  response.destroy();
  return outcome;
}

async function refusalIn(response: IncomingMessage): Promise<Outcome> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  const { statusCode: status = 0, headers } = response;
  return outcomeOf({ status, headers, text, body: JSON.parse(text) as Envelope });
}

/** A login by password that brings the JWT: whether its session still asks for one. */
async function login(net: Net, door: RequestDoor): Promise<(whose: Whose) => Promise<Outcome>> {
  const secondary = { requireExtJwtSigner: net.signerId };
  const input = { authPolicyId: await net.newPolicy({ secondary }) };
  const [person, other] = [await net.newPerson(input), await net.newIdentity(input)];
  const credentials = { username: person.username, password: PASSWORD };
  const operation: Operation = {
    method: 'POST',
    path: '/authenticate?method=password',
    body: credentials,
    document: `mutation ($input: AuthenticateInput!) {
      authenticate(method: "password", input: $input) { authQueries { typeId } } }`,
    variables: { input: credentials },
  };
  return async (whose) => {
    const jwt = await net.signer.jwt(whose === 'own' ? person.id : other);
    const answer = await net.ask(door, operation, { jwt });
    const { authQueries } =
      door === 'GraphQL'
        ? (answer.body.data as { authenticate: { authQueries: { typeId: string }[] } }).authenticate
        : sessionIn(answer);
    return authQueries.length === 0 ? COUNTS : `asks for ${String(authQueries[0]?.typeId)}`;
  };
}

export const SECOND_FACTORS: readonly Attempt[] = [
  ...atDoors(DOORS, (door) => [
    {
      proof: PROOF,
      door,
      at: 'a request',
      refusal: REFUSED,
      prepare: async (net) => {
        const { someone, jwtOf } = await prepared(net);
        return async (whose) =>
          net.outcome(door, OWN_IDENTITY, { token: someone.token, jwt: await jwtOf(whose) });
      },
    },
    {
      proof: PROOF,
      door,
      at: 'the login',
      refusal: 'asks for EXT-JWT',
      prepare: (net) => login(net, door),
    },
  ]),
  {
    proof: PROOF,
    door: 'WebSocket',
    at: 'the greeting',
    refusal: 'closed with 4403',
    prepare: lasting(greetGraph),
  },
  {
    proof: PROOF,
    door: 'event stream',
    at: 'a subscription',
    refusal: REFUSED,
    prepare: lasting(subscribeByStream),
  },
  {
    proof: PROOF,
    door: 'management channel',
    at: 'the greeting',
    refusal: REFUSED,
    prepare: lasting(greetManagement),
  },
];
