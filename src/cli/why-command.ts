import { Client } from './client.js';
import { noticed, usageError, type CommandError } from './command-error.js';
import { connectionOf, type Environment } from './connection.js';
import type { CommandLine } from './options.js';
import { quoted } from './plain.js';
import { whyReport, type Explained, type Named } from './why-report.js';

const ENDS = `query ($identity: String!, $service: String!) {
  identityByName: identities(where: { name: { eq: $identity } }, first: 1) { nodes { id name } }
  identityById: identities(where: { id: { eq: $identity } }, first: 1) { nodes { id name } }
  serviceByName: services(where: { name: { eq: $service } }, first: 1) { nodes { id name } }
  serviceById: services(where: { id: { eq: $service } }, first: 1) { nodes { id name } }
}`;

const NAMED = '{ id: policyId name: policyName }';
const ROUTER = `{ id: routerId name: routerName isOnline isDisabled edgeRouterPolicies ${NAMED} serviceEdgeRouterPolicies ${NAMED} }`;
const SIDE = '{ missingAttributes remedies }';

const WHY = `query ($identityId: ID!, $serviceId: ID!, $type: AccessType!) {
  access(identityId: $identityId, serviceId: $serviceId, type: $type, misses: 5) {
    allowed obstacles
    paths {
      policy { id name } semantic identityRoles { kind role } serviceRoles { kind role }
      postureChecks { id: postureCheckId name: postureCheckName typeId verdicts { apiSessionId isPassing failure } }
    }
    routers { identitySide ${ROUTER} serviceSide ${ROUTER} common ${ROUTER} }
    nearestMisses { totalCount nodes { policy { id name } semantic changes identitySide ${SIDE} serviceSide ${SIDE} } }
  }
}`;

/** `overgraph why <identity> <service>` */
export async function whyCommand(
  { operands, options }: CommandLine,
  env: Environment,
): Promise<void> {
  const [identityName, serviceName, ...others] = operands;
  if (identityName === undefined || serviceName === undefined || others.length > 0) {
    throw usageError('why takes an identity and a service');
  }
  const client = await Client.login(await connectionOf(options, env));
  try {
    const { identity, service } = await endsOf(client, identityName, serviceName);
    const type = options.bind === true ? 'Bind' : 'Dial';
    const { access } = await client.run<{ access: Omit<Explained, 'identity' | 'service'> }>(WHY, {
      identityId: identity.id,
      serviceId: service.id,
      type,
    });
    const explained: Explained = { ...access, identity, service, type };
    const text = options.json === true ? JSON.stringify(explained, null, 2) : whyReport(explained);
    console.log(text);
    if (access.obstacles.length > 0) throw notUsable(explained);
  } finally {
    await client.logout();
  }
}

type Found = Readonly<
  Record<
    'identityByName' | 'identityById' | 'serviceByName' | 'serviceById',
    { readonly nodes: readonly Named[] }
  >
>;

/** By name where there is one with it, else by id. */
async function endsOf(
  client: Client,
  identity: string,
  service: string,
): Promise<{ identity: Named; service: Named }> {
  const found = await client.run<Found>(ENDS, { identity, service });
  const [first] = [...found.identityByName.nodes, ...found.identityById.nodes];
  if (!first) throw usageError(`there is no identity ${quoted(identity)}`);
  const [second] = [...found.serviceByName.nodes, ...found.serviceById.nodes];
  if (!second) throw usageError(`there is no service ${quoted(service)}`);
  return { identity: first, service: second };
}

function notUsable({ identity, service, type, obstacles }: Explained): CommandError {
  const what = `${quoted(identity.name)} can not ${type.toLowerCase()} ${quoted(service.name)} now`;
  return noticed(`${what}: ${obstacles.join(', ')}`);
}
