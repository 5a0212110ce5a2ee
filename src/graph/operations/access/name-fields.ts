import { Ctx, FieldResolver, Resolver, Root, type ClassType } from 'type-graphql';
import {
  GrantingPolicy,
  RemainingAccess,
  resourceOf,
  shownName,
  type NameSources,
} from '../../../access/analysis/index.js';
import { reading } from '../../../kernel/declare/permissions.js';
import { emptyClass } from '../../../kernel/graph/graphql-types.js';
import { addOperation } from '../../../kernel/graph/resolvers.js';
import { RestMember } from '../../../kernel/graph/rest-member.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { catalog } from '../../../resources/index.js';
import { AccessGrant } from './accesses-types.js';
import { KeepingPolicy } from './review-revocation.js';
import { RuleViolation } from './rule-violation.js';
import { UnusedIdentity, UnusedService } from './unused-access-types.js';
import { ReachPair } from './what-if-types.js';

/** The names behind the ids in answers: at present, in the past or in a simulation. */

interface NameField {
  readonly name: string;
  readonly kind: Parameters<typeof shownName>[2];
  /** The member of the answer with the id. */
  readonly idIn: string;
  readonly description: string;
  readonly graphOnly?: true;
}

const IDENTITY = { name: 'identityName', kind: 'identity', idIn: 'identityId' } as const;
const SERVICE = { name: 'serviceName', kind: 'service', idIn: 'serviceId' } as const;

const POLICY = { name: 'policyName', kind: 'servicePolicy', idIn: 'policyId' } as const;

const nameOfIdentity: NameField = { ...IDENTITY, description: 'Name of the identity.' };
const nameOfService: NameField = { ...SERVICE, description: 'Name of the service.' };
const nameOfRouter: NameField = {
  name: 'routerName',
  kind: 'edgeRouter',
  idIn: 'routerId',
  description: 'Name of the edge router.',
};

const onGraph = (field: NameField): NameField => ({ ...field, graphOnly: true });

const FIELDS: readonly (readonly [on: ClassType, ...fields: NameField[]])[] = [
  [UnusedIdentity, nameOfIdentity],
  [UnusedService, nameOfService],
  [RemainingAccess, nameOfIdentity, nameOfService],
  [KeepingPolicy, { ...POLICY, description: 'Name of the policy.' }],
  [RuleViolation, onGraph(nameOfIdentity), onGraph(nameOfService)],
  [ReachPair, onGraph(nameOfIdentity), onGraph(nameOfService), onGraph(nameOfRouter)],
  [
    AccessGrant,
    {
      ...IDENTITY,
      description:
        'Name of the identity at the requested time, or in the simulation; null if it no longer exists.',
    },
    { ...SERVICE, description: 'Name of the service, given by the same rules.' },
  ],
  [
    GrantingPolicy,
    onGraph({
      ...POLICY,
      description:
        'Name of the policy at the requested time, or in the simulation; null if it no longer exists.',
    }),
  ],
];

export const nameFieldResolvers = (): ClassType[] =>
  FIELDS.map(([on, ...fields]) => resolverOf(on, fields));

function resolverOf(on: ClassType, fields: readonly NameField[]): ClassType {
  const target = emptyClass(`${on.name}NameResolver`);
  for (const { name, kind, idIn, description, graphOnly } of fields) {
    if (graphOnly) RestMember({ graphOnly })(target.prototype, name);
    addOperation(target, {
      name,
      permission: reading(resourceOf({ catalog }, kind)),
      declare: FieldResolver(() => String, { nullable: true, description }),
      parameters: [Root(), Ctx()],
      body: (answer: NameSources & Readonly<Record<string, unknown>>, ctx: RequestContext) => {
        const id = answer[idIn];
        return typeof id === 'string' ? shownName(ctx, answer, kind, id) : null;
      },
    });
  }
  Resolver(() => on)(target);
  return target;
}
