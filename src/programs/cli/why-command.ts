import { Why } from '../emitted/operations.js';
import { Client } from './client.js';
import { noticed, usageError, type CommandError } from './command-error.js';
import { connectionOf, type Environment } from './controller-connection.js';
import type { CommandLine } from './options.js';
import { namedPair } from './named.js';
import { quoted } from './plain.js';
import { whyReport, type Explained, type Sense } from './why-report.js';

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
    const { identity, service } = await namedPair(client, {
      identity: identityName,
      service: serviceName,
    });
    const type = options.bind ? 'Bind' : 'Dial';
    const policyOnly = options['policy-only'] === true;
    const { access } = await client.run(Why, {
      identityId: identity.id,
      serviceId: service.id,
      type,
      // Posture and presence have no part in an answer about the policies.
      hasState: !policyOnly,
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

function notUsable({ identity, service, type, obstacles }: Explained, sense: Sense): CommandError {
  const what = `${quoted(identity.name)} can not ${type.toLowerCase()} ${quoted(service.name)} ${sense}`;
  return noticed(`${what}: ${obstacles.join(', ')}`);
}
