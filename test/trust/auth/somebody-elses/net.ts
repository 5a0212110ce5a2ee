import { Agent } from 'node:https';
import {
  startController,
  type Answer,
  type Envelope,
  type TestController,
} from '../../../support/controller.js';
import { enrollRouter, type EnrolledRouter } from '../../../support/test-router.js';
import { openNetwork } from '../../../network/control/traffic-network.js';
import { identityOf, invite } from '../../enrollment/enrolling.js';
import { newCsr, newKey, withKey, type ClientCertificate } from '../certificates.js';
import { authPolicy, call, newPerson, sessionIn, unique, type Person } from '../client.js';
import { OutsideSigner } from '../signers.js';
import { COUNTS, type Outcome, type RequestDoor } from './matrix.js';

/* A network in which people log in by JWT, which costs least, and what they ask at its doors. */

type Settings = Record<string, unknown>;

/** Somebody with an API session. */
export interface Someone {
  readonly id: string;
  readonly token: string;
}

export interface Certified extends Someone {
  readonly authenticatorId: string;
  readonly certificate: ClientCertificate;
}

/** One operation, as REST and GraphQL have it. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Instead of a body in JSON. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly document: string;
  readonly variables?: Settings;
}

/** What a request is sent with. */
export interface Presented {
  readonly token?: string;
  readonly jwt?: string;
  readonly certificate?: ClientCertificate;
}

const ROOTS: Readonly<Record<Exclude<RequestDoor, 'GraphQL'>, string>> = {
  'client REST': '/edge/client/v1',
  'management REST': '/edge/management/v1',
};

export class Net {
  readonly #made = new Map<string, Promise<unknown>>();
  /** Connections without a client certificate. */
  readonly #agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

  private constructor(
    readonly controller: TestController & { dataDir: string },
    /** The signer of all logins by JWT. */
    readonly signer: OutsideSigner,
    readonly signerId: string,
  ) {}

  static async start(): Promise<Net> {
    const controller = await startController({
      env: { OVERGRAPH_LOGIN_LIMIT: '0', OVERGRAPH_WORKERS: '1' },
    });
    const signer = await OutsideSigner.create(unique('issuer'));
    const signerId = await controller.create('external-jwt-signers', signer.settings);
    await openNetwork(controller);
    return new Net(controller, signer, signerId);
  }

  stop(): Promise<void> {
    this.#agent.destroy();
    return this.controller.stop();
  }

  newIdentity(input: Settings = {}): Promise<string> {
    const identity = { name: unique('somebody'), type: 'Default', isAdmin: false, ...input };
    return this.controller.create('identities', identity);
  }

  async newSomeone(input: Settings = {}): Promise<Someone> {
    return this.logIn(await this.newIdentity(input));
  }

  /** Opens an API session by JWT. */
  async logIn(id: string): Promise<Someone> {
    const login = { method: 'POST', path: '/authenticate?method=ext-jwt', document: '' };
    const answer = await this.ask('client REST', login, { jwt: await this.signer.jwt(id) });
    return { id, token: sessionIn(answer).token };
  }

  newPerson(input: Settings = {}): Promise<Person> {
    return newPerson(this.controller, input);
  }

  /** Somebody who enrolled, and so has a certificate of the network. */
  async newCertified(): Promise<Certified> {
    const { identityId, token } = await invite(this.controller, { ott: true });
    const key = newKey();
    const body = { token, clientCsr: await newCsr(key) };
    const enrolled = await this.ask(
      'client REST',
      { method: 'POST', path: '/enroll?method=ott', body, document: '' },
      {},
    );
    const { authenticators } = await identityOf(this.controller, identityId);
    return {
      ...(await this.logIn(identityId)),
      authenticatorId: String(authenticators.cert?.id),
      certificate: withKey((enrolled.body.data as { cert: string }).cert, key),
    };
  }

  newPolicy(change: Parameters<typeof authPolicy>[0]): Promise<string> {
    return this.controller.create('auth-policies', authPolicy(change));
  }

  /** Makes something that all attempts share, at its first use. */
  once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const made = this.#made.get(name) ?? make();
    this.#made.set(name, made);
    return made as Promise<T>;
  }

  /** Another signer that is enabled. */
  otherSigner(): Promise<{ readonly signer: OutsideSigner }> {
    return this.once('another signer', async () => {
      const signer = await OutsideSigner.create(unique('issuer'));
      await this.controller.create('external-jwt-signers', signer.settings);
      return { signer };
    });
  }

  readonly unique = unique;

  newRouter(): Promise<EnrolledRouter> {
    return enrollRouter(this.controller, { roleAttributes: ['open'] });
  }

  ask(door: RequestDoor, operation: Operation, presented: Presented): Promise<Answer<Envelope>> {
    const { token, jwt, certificate } = presented;
    const { method, path, body, text, document: query, variables = {} } = operation;
    const headers = {
      ...(token === undefined ? {} : { 'zt-session': token }),
      ...(jwt === undefined ? {} : { authorization: `Bearer ${jwt}` }),
      ...operation.headers,
    };
    const connection = certificate ? { certificate } : { agent: this.#agent };
    if (door === 'GraphQL') {
      const sent = { headers, ...connection, body: { query, variables } };
      return call(this.controller, 'POST', '/graphql', sent);
    }
    const address = `${ROOTS[door]}${path}`;
    if (text === undefined) {
      return call(this.controller, method, address, { headers, ...connection, body });
    }
    const plain = { ...headers, 'content-type': 'text/plain' };
    return this.controller.send(method, address, { body: text, headers: plain });
  }

  /** A router that may enroll. */
  async invitedRouter(): Promise<{ readonly id: string; readonly token: string }> {
    const id = await this.controller.create('edge-routers', { name: unique('invited') });
    const { body } = await this.controller.rest('GET', `/edge-routers/${id}`);
    return { id, token: (body.data as { enrollmentToken: string }).enrollmentToken };
  }

  async outcome(door: RequestDoor, operation: Operation, presented: Presented): Promise<Outcome> {
    return outcomeOf(await this.ask(door, operation, presented));
  }
}

interface GraphError {
  readonly extensions: {
    readonly code: string;
    readonly status: number;
    readonly challenge?: string;
  };
}

/** Status and code of a refusal at any door, and what a challenge says. */
export function outcomeOf({ status, body, headers }: Answer<Envelope>): Outcome {
  const { error, errors } = body as Partial<Envelope> & { readonly errors?: readonly GraphError[] };
  const [graphError] = errors ?? [];
  if (graphError) {
    const { extensions } = graphError;
    return refusal(extensions.status, extensions.code, extensions.challenge);
  }
  if (status < 300) return COUNTS;
  return refusal(status, error?.code, headers['www-authenticate']);
}

function refusal(status: number, code = '', challenge: unknown = ''): Outcome {
  const said = /secondary-ext-jwt" error="invalid" error_description="([^"]*)"/.exec(
    String(challenge),
  );
  return `${String(status)} ${code}${said ? `: ${said[1] ?? ''}` : ''}`;
}
