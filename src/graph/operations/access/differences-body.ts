import { GraphQLInt } from 'graphql';
import type { JsonObject } from '../../../base/row.js';
import {
  BOOLEAN,
  INTEGER,
  listOf,
  objectOf,
  withProperties,
  type Schema,
} from '../../../kernel/declare/rest-schema.js';
import type { RestAnswer } from '../../../kernel/graph/rest-operation.js';
import { FINDING } from './finding-body.js';
import { grantBody, GRANT_SCHEMA, type SelectedGrant } from './grant-body.js';

/** The REST view of the differences between two states of the network. */

const GRANTS = `{ totalCount nodes { identityId identityName serviceId serviceName type
  paths { policyId semantic identityRoles { kind role } serviceRoles { kind role } postureCheckIds } } }`;
const PROOF = '{ holds counterexample { identityId identityName serviceId serviceName type } }';
const REACH = `{ gained(first: $first) { totalCount nodes { identityId serviceId routerId } }
  lost(first: $first) { totalCount nodes { identityId serviceId routerId } } }`;
/** The differences, with `$first` entries of each list. */
const SELECTED = `gained(first: $first) ${GRANTS} lost(first: $first) ${GRANTS}
  proveNoNewAccess ${PROOF} proveNoLostAccess ${PROOF}
  identityRouters ${REACH} serviceRouters ${REACH} sharedRouters ${REACH}
  findings { appearedCount appeared { ${FINDING} } vanishedCount vanished { ${FINDING} } }`;

interface Counted<T> {
  readonly totalCount: number;
  readonly nodes: readonly T[];
}

interface Differences extends JsonObject {
  readonly gained: Counted<Reasoned>;
  readonly lost: Counted<Reasoned>;
  readonly proveNoNewAccess: Claim;
  readonly proveNoLostAccess: Claim;
}

type Reasoned = SelectedGrant & { readonly paths: readonly unknown[] };

interface Claim {
  readonly holds: boolean;
  readonly counterexample: SelectedGrant | null;
}

const countedBody = ({ totalCount, nodes }: Counted<Reasoned>): Counted<object> => ({
  totalCount,
  nodes: nodes.map((grant) => ({ ...grantBody(grant), paths: grant.paths })),
});

const claimBody = ({ holds, counterexample }: Claim): object => ({
  holds,
  counterexample: counterexample && grantBody(counterexample),
});

const differencesBody = (differences: Differences): JsonObject => ({
  ...differences,
  gained: countedBody(differences.gained),
  lost: countedBody(differences.lost),
  proveNoNewAccess: claimBody(differences.proveNoNewAccess),
  proveNoLostAccess: claimBody(differences.proveNoLostAccess),
});

const counted = (items: Schema): Schema => objectOf({ totalCount: INTEGER, nodes: listOf(items) });
const CLAIM = objectOf({ holds: BOOLEAN, counterexample: { ...GRANT_SCHEMA, nullable: true } });

const bodySchema = (selected: Schema): Schema =>
  withProperties(selected, {
    gained: counted(GRANT_SCHEMA),
    lost: counted(GRANT_SCHEMA),
    proveNoNewAccess: CLAIM,
    proveNoLostAccess: CLAIM,
  });

/** The length of the lists in the answer. */
export const FIRST = {
  first: {
    type: GraphQLInt,
    description:
      'Number of entries of each list: default 25, at most 500. Counts are always exact.',
  },
};

export const DIFFERENCES: RestAnswer = {
  kind: 'data',
  select: SELECTED,
  view: differencesBody,
  schema: bodySchema,
};

export const SIMULATION: RestAnswer = {
  ...DIFFERENCES,
  select: `${SELECTED}
    violations { ruleId identityId serviceId type }
    violatedRules { ruleId identityId serviceId type }
    endedSessions { totalCount nodes { id apiSessionId identityId serviceId type } }`,
};
