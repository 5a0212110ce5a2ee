import { selectionText } from '../../kernel/graph/selection-text.js';
import { failureAttributes } from '../../trust/posture/index.js';
import { Client } from './client.js';
import { noticed, usageError, type CommandError } from './command-error.js';
import { connectionOf, type Environment } from './controller-connection.js';
import type { CommandLine } from './options.js';
import { namedEntities } from './named.js';
import { quoted } from './plain.js';
import { whyReport, type Explained, type Sense } from './why-report.js';

const NAMED = '{ id: policyId name: policyName }';
const CHANGE = '{ operation type id: entityId input gained lost }';
const SIDE = `{ missingAttributes remedies { kind attributes side role size change ${CHANGE} } }`;
const FAILURE = `{ actualValue expectedValue ${selectionText(failureAttributes)} }`;

/** Whether posture and presence have a part in the answer, or the policies alone. */
function whyQuery(policyOnly: boolean): string {
  const state = policyOnly ? '' : 'isOnline isDisabled';
  const checks = policyOnly
    ? ''
    : `postureChecks { id: postureCheckId name: postureCheckName typeId verdicts { apiSessionId isPassing failure ${FAILURE} } }`;
  const router = `{ id: routerId name: routerName ${state} edgeRouterPolicies ${NAMED} serviceEdgeRouterPolicies ${NAMED} }`;
  return `query ($identityId: ID!, $serviceId: ID!, $type: AccessType!) {
    access(identityId: $identityId, serviceId: $serviceId, type: $type, misses: 5) {
      allowed obstacles
      paths { policy { id name } semantic identityRoles { kind role } serviceRoles { kind role } ${checks} }
      routers { identitySide ${router} serviceSide ${router} common ${router} }
      nearestMisses { totalCount nodes { policy { id name } semantic changes identitySide ${SIDE} serviceSide ${SIDE} } }
    }
  }`;
}

/** The part that policies decide. Everything else can change within a minute. */
const OF_POLICIES: ReadonlySet<string> = new Set(['NO_POLICY', 'NO_COMMON_ROUTER']);

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
    const { identity, service } = await namedEntities(client, {
      identity: identityName,
      service: serviceName,
    });
    const type = options.bind ? 'Bind' : 'Dial';
    const policyOnly = options['policy-only'] === true;
    const { access } = await client.run<{ access: Answer }>(whyQuery(policyOnly), {
      identityId: identity.id,
      serviceId: service.id,
      type,
    });
    const obstacles = access.obstacles.filter((each) => !policyOnly || OF_POLICIES.has(each));
    const explained: Explained = { ...access, obstacles, identity, service, type };
    const sense = policyOnly ? 'by the policies' : 'now';
    console.log(options.json ? JSON.stringify(explained, null, 2) : whyReport(explained, sense));
    if (obstacles.length > 0) throw notUsable(explained, sense);
  } finally {
    await client.logout();
  }
}

type Answer = Omit<Explained, 'identity' | 'service' | 'type'>;

function notUsable({ identity, service, type, obstacles }: Explained, sense: Sense): CommandError {
  const what = `${quoted(identity.name)} can not ${type.toLowerCase()} ${quoted(service.name)} ${sense}`;
  return noticed(`${what}: ${obstacles.join(', ')}`);
}
