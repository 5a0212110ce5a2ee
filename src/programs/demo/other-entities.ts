import { OtherEntities } from '../emitted/operations.js';
import type { Client } from '../cli/client.js';
import { counted } from '../cli/plain.js';

/** The kinds of entities that an empty network has none of. */
const KINDS = {
  identities: ['identity', 'identities'],
  services: ['service', 'services'],
  configs: ['config', 'configs'],
  edgeRouters: ['edge router', 'edge routers'],
  servicePolicies: ['service policy', 'service policies'],
  edgeRouterPolicies: ['edge router policy', 'edge router policies'],
  serviceEdgeRouterPolicies: ['service edge router policy', 'service edge router policies'],
  postureChecks: ['posture check', 'posture checks'],
} as const;

/** Names what a network has in words: `1 service, 2 identities`; empty for an empty network. */
export async function otherEntities(client: Client): Promise<string> {
  const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[];
  const counts = await client.run(OtherEntities, {});
  return kinds
    .filter((kind) => counts[kind].totalCount > 0)
    .map((kind) => {
      const [one, many] = KINDS[kind];
      return counted(counts[kind].totalCount, one, many);
    })
    .join(', ');
}
