import type { RequestContext } from '../../../src/kernel/request/context.js';
import { callerOf, type GraphAnswer, type InProcess } from '../../support/in-process.js';

/** Somebody who may dial a service by way of a router, unless a test takes something away. */
export interface Dialling {
  readonly own: () => RequestContext;
  readonly apiSessionId: string;
  readonly identity: string;
  readonly service: string;
  readonly policy: string;
  readonly routerPolicy: string;
}

interface DiallingOptions {
  readonly checks?: readonly string[];
  readonly type?: string;
  readonly isPending?: boolean;
}

let count = 0;

export async function dialling(
  controller: InProcess,
  { checks = [], type = 'Dial', isPending = false }: DiallingOptions = {},
): Promise<Dialling> {
  count += 1;
  const name = `dialling ${String(count)}`;
  const router = await controller.create('EdgeRouter', { name });
  const identity = await controller.create('Identity', {
    name,
    type: 'Default',
    isAdmin: false,
    roleAttributes: [name],
    isPending,
  });
  const service = await controller.create('Service', { name, encryptionRequired: true });
  const policy = await controller.create('ServicePolicy', {
    name,
    type,
    semantic: 'AnyOf',
    identityRoles: [`#${name}`],
    serviceRoles: [`@${service}`],
    postureCheckRoles: checks.map((id) => `@${id}`),
  });
  const routerPolicy = await controller.create('EdgeRouterPolicy', {
    name,
    semantic: 'AnyOf',
    identityRoles: [`@${identity}`],
    edgeRouterRoles: [`@${router}`],
  });
  await controller.create('ServiceEdgeRouterPolicy', {
    name,
    semantic: 'AnyOf',
    serviceRoles: [`@${service}`],
    edgeRouterRoles: [`@${router}`],
  });
  const { id: apiSessionId } = await controller.openSession(identity);
  const own = (): RequestContext => controller.ctx({ ...callerOf(identity), apiSessionId });
  return { own, apiSessionId, identity, service, policy, routerPolicy };
}

const OPEN = `mutation ($input: OpenSessionInput!) { openSession(input: $input) {
  id token type apiSessionId identityId serviceId tags edgeRouters { routerId routerName isOnline supportedProtocols { protocol address } } service { id } } }`;

export interface Opened {
  readonly id: string;
  readonly token: string;
  readonly type: string;
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly serviceId: string;
  readonly tags: object;
  readonly edgeRouters: readonly { readonly routerName: string; readonly isOnline: boolean }[];
}

/** The answer to a request for a session, refusals too. */
export const request = (
  controller: InProcess,
  { own, service }: Pick<Dialling, 'own' | 'service'>,
  input: object = {},
): Promise<GraphAnswer> =>
  controller.graph(OPEN, { input: { serviceId: service, ...input } }, own());

export async function open(
  controller: InProcess,
  dialler: Pick<Dialling, 'own' | 'service'>,
  input: object = {},
): Promise<Opened> {
  const { data, messages } = await request(controller, dialler, input);
  if (!data) throw new Error(messages.join('\n'));
  return data.openSession as Opened;
}

/** The ids of the sessions of a caller. */
export async function sessionsOf(
  controller: InProcess,
  { own }: Pick<Dialling, 'own'>,
): Promise<string[]> {
  const { currentIdentity } = await controller.read<{
    currentIdentity: { sessions: { nodes: { id: string }[] } };
  }>('{ currentIdentity { sessions { nodes { id } } } }', {}, own());
  return currentIdentity.sessions.nodes.map(({ id }) => id);
}

/** Tells of a device. */
export const submit = (
  controller: InProcess,
  { own }: Pick<Dialling, 'own'>,
  ...responses: object[]
): Promise<{ submitPosture: { services: object[] } }> =>
  controller.read(
    `mutation ($responses: [PostureResponseInput!]!) { submitPosture(responses: $responses) {
      services { id: serviceId postureQueryType timeout timeoutRemaining } } }`,
    { responses },
    own(),
  );

export const domainIs = (domain: string): object => ({ id: 'any', typeId: 'DOMAIN', domain });

export const update = (
  controller: InProcess,
  resource: string,
  id: string,
  input: object,
): Promise<unknown> =>
  controller.read(
    `mutation ($id: ID!, $input: Update${resource}Input!) { update${resource}(id: $id, input: $input) { id } }`,
    { id, input },
  );

export const remove = (controller: InProcess, resource: string, id: string): Promise<unknown> =>
  controller.read(`mutation ($id: ID!) { delete${resource}(id: $id) }`, { id });
