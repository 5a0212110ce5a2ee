import { Ctx, FieldResolver, Resolver, Root, type ClassType } from 'type-graphql';
import {
  GrantingPolicy,
  resourceOf,
  shownName,
  type NameSources,
} from '../../../access/analysis/index.js';
import { reading } from '../../../kernel/declare/permissions.js';
import { emptyClass } from '../../../kernel/graph/graphql-types.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { RestMember } from '../../../kernel/graph/rest-member.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { catalog } from '../../../resources/index.js';
import { AccessGrant } from './accesses-types.js';
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
      name: 'policyName',
      kind: 'servicePolicy',
      idIn: 'policyId',
      description:
        'Name of the policy at the requested time, or in the simulation; null if it no longer exists.',
    }),
  ],
];

export const nameFieldResolvers = (): ClassType[] =>
  FIELDS.map(([on, ...fields]) => resolverOf(on, fields));

function resolverOf(on: ClassType, fields: readonly NameField[]): ClassType {
  const target = emptyClass(`${on.name}NameResolver`);
  const prototype = target.prototype as Record<string, unknown>;
  for (const { name, kind, idIn, description, graphOnly } of fields) {
    prototype[name] = (
      answer: NameSources & Readonly<Record<string, unknown>>,
      ctx: RequestContext,
    ) => {
      const id = answer[idIn];
      return typeof id === 'string' ? shownName(ctx, answer, kind, id) : null;
    };
    for (const [i, decorate] of [Root(), Ctx()].entries()) decorate(prototype, name, i);
    Needs(reading(resourceOf({ catalog }, kind)))(prototype, name);
    if (graphOnly) RestMember({ graphOnly })(prototype, name);
    FieldResolver(() => String, { nullable: true, description })(
      prototype,
      name,
      Object.getOwnPropertyDescriptor(prototype, name) ?? {},
    );
  }
  Resolver(() => on)(target);
  return target;
}
