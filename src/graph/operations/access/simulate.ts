import { GraphQLJSON } from 'graphql-scalars';
import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Int,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import {
  findings,
  findingsDiff,
  newViolations,
  simulate,
  violations,
  type AccessModel,
  type AccessRule,
  type PairChanges,
  type Proof,
  type RowChange,
  type Simulation as WorkedOut,
  type Violation,
  allAccessRules,
  rowChangeOf,
  ruleOf,
  shownName,
  type NewNames,
  findingFacts,
  pastFacts,
  mutesInForce,
  withoutMuted,
  type FindingMutes,
  rehearse,
  placeIn,
  POINT,
} from '../../../analysis/index.js';
import type { Page } from '../../../kernel/read/connection.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { invalidField } from '../../../base/errors.js';
import { lowerFirst } from '../../../base/names.js';
import { Needs } from '../../../kernel/graph/needs.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import { Runs } from '../../../kernel/graph/pace.js';
import { ADMIN, may, permit } from '../../../kernel/declare/permissions.js';
import type { Change } from '../../../kernel/request/store-port.js';
import { planRows } from '../../../transfer/index.js';
import { grantOf, type PairArguments } from '../../analysis/access-list.js';

import { endedSessions } from '../../../access/index.js';
import { shownFinding } from '../../analysis/finding-page.js';
import { permitAnalysis } from '../../analysis/permit-analysis.js';
import { grantsPage, reachPage } from '../../analysis/pair-connection.js';
import { ACCESS } from './access-types.js';
import { AccessConnection, AccessGrant, PairListArgs } from './accesses-types.js';
import { DIFFERENCES, FIRST, SIMULATION } from './differences-body.js';
import {
  EndedSessions,
  FindingChanges,
  ModelChangeInput,
  ReachConnection,
} from './what-if-types.js';

/** A row as it would be; null where it would be gone. */
type ChangedRow = Pick<Change, 'resource' | 'id' | 'after'>;

/** So many findings, and ended sessions, are listed. */
const MOST = 100;

@ObjectType({
  description: 'A claim about all pairs, with the first one that refutes it.',
  simpleResolvers: true,
})
class AccessProof {
  @Field(() => Boolean, { description: 'Whether it holds.' })
  holds!: boolean;

  @Field(() => AccessGrant, { nullable: true, description: 'The first pair of which it does not.' })
  counterexample!: AccessGrant | null;
}

@ObjectType({ description: 'An access rule that does not hold.', simpleResolvers: true })
class RuleViolation {
  @Field(() => ID, { description: 'Id of the rule.' })
  ruleId!: string;

  @Field(() => String, { description: 'Name of the rule.' })
  ruleName!: string;

  @Field(() => ID, { description: 'Id of the identity of the first pair.' })
  identityId!: string;

  @Field(() => ID, { description: 'Id of the service of the first pair.' })
  serviceId!: string;

  @Field(ACCESS, { description: 'Dialing or hosting.' })
  type!: string;

  /** Of what is not in the network yet. */
  readonly newName?: NewNames;
}

@Resolver(() => RuleViolation)
export class RuleViolationResolver {
  @Needs(may('identity', 'read'))
  @FieldResolver(() => String, { nullable: true, description: 'Name of the identity.' })
  identityName(
    @Root() violation: RuleViolation,
    @Ctx() ctx: RequestContext,
  ): Promise<string | null> {
    return shownName(ctx, violation, 'identity', violation.identityId);
  }

  @Needs(may('service', 'read'))
  @FieldResolver(() => String, { nullable: true, description: 'Name of the service.' })
  serviceName(
    @Root() violation: RuleViolation,
    @Ctx() ctx: RequestContext,
  ): Promise<string | null> {
    return shownName(ctx, violation, 'service', violation.serviceId);
  }
}

@ObjectType({ description: 'What comes and what goes.', simpleResolvers: true })
class ReachChanges {
  readonly gainedPage!: (args: PairArguments) => Page;
  readonly lostPage!: (args: PairArguments) => Page;
}

@Resolver(() => ReachChanges)
export class ReachChangesResolver {
  @Needs(may('router', 'read'))
  @FieldResolver(() => ReachConnection, { description: 'Pairs that come to be.' })
  gained(
    @Root() { gainedPage }: ReachChanges,
    @Args(() => PairListArgs) args: PairArguments,
  ): Page {
    return gainedPage(args);
  }

  @Needs(may('router', 'read'))
  @FieldResolver(() => ReachConnection, { description: 'Pairs that cease to be.' })
  lost(@Root() { lostPage }: ReachChanges, @Args(() => PairListArgs) args: PairArguments): Page {
    return lostPage(args);
  }
}

/** How access differs between two states of the network. */
@ObjectType({ description: 'What differs between two states of the network.' })
class Simulation {
  readonly newName: NewNames;

  constructor(
    readonly workedOut: WorkedOut,
    /** What leads from the one state to the other; undefined where it is history. */
    readonly changes: readonly ChangedRow[] | undefined,
  ) {
    this.newName = namesGiven(changes ?? []);
  }
}

/** The names that changes give. */
function namesGiven(changes: readonly ChangedRow[]): NewNames {
  const names = new Map(
    changes.map(({ resource, id, after }) => [`${lowerFirst(resource)} ${id}`, after?.name]),
  );
  return (kind, id) => {
    const name = names.get(`${kind} ${id}`);
    return typeof name === 'string' ? name : undefined;
  };
}

@ObjectType({ description: 'What an import would do to access.', simpleResolvers: true })
class ImportSimulation {
  @Field(() => [String], { description: 'The first 1,000 faults of the document.' })
  faults!: readonly string[];

  @Field(() => Int, { description: 'How many faults there are.' })
  faultCount!: number;

  @Field(() => [String], { description: 'Members of the document that mean nothing here.' })
  ignored!: readonly string[];

  @Field(() => Simulation, { nullable: true, description: 'Null when there are faults.' })
  simulation!: Simulation | null;
}

@Resolver(() => Simulation)
export class SimulateResolver {
  @Rest({
    method: 'POST',
    path: '/simulate',
    operationId: 'simulateChanges',
    tag: 'analysis',
    selectionArguments: FIRST,
    errors: [404, 409],
    answer: SIMULATION,
  })
  @Needs(may('identity', 'read'))
  @Runs({ lane: 'background' })
  @Query(() => Simulation, {
    description:
      'What changes would do, made in their order by the rules of the mutations. Nothing is written.',
  })
  async simulate(
    @Arg('changes', () => [ModelChangeInput], {
      description: 'What is asked about, at most 1,000.',
    })
    changes: ModelChangeInput[],
    @Ctx() ctx: RequestContext,
  ): Promise<Simulation> {
    permitAnalysis(ctx);
    const made = await rehearse(ctx, changes);
    return workOut(ctx, made);
  }

  @Needs(ADMIN)
  @Runs({ lane: 'background', isLong: true })
  @Query(() => ImportSimulation, {
    description:
      'What the import of a document would do to access. Nothing is written. Documents of more than 1 MiB go to `POST /graphql/import`.',
  })
  async simulateImport(
    @Arg('document', () => GraphQLJSON, { description: 'Section -> entities.' }) document: unknown,
    @Ctx() ctx: RequestContext,
  ): Promise<ImportSimulation> {
    const { rows, faults, ...told } = await planRows(ctx, document);
    return {
      ...told,
      faults: faults.map(({ message }) => message),
      simulation: told.faultCount > 0 ? null : await workOut(ctx, rows),
    };
  }

  @Rest({
    method: 'GET',
    path: '/access-diff',
    operationId: 'diffAccess',
    tag: 'analysis',
    selectionArguments: FIRST,
    errors: [410],
    answer: DIFFERENCES,
  })
  @Needs(may('identity', 'read'))
  @Runs({ lane: 'background' })
  @Query(() => Simulation, {
    description:
      'What differs between two points of the change log. Sessions and access rules are about now, and null here.',
  })
  async accessDiff(
    @Arg('from', () => String, { description: `The one point: ${POINT}.` }) from: string,
    @Arg('to', () => String, { nullable: true, description: 'The other; default: now.' })
    to: string | null | undefined,
    @Ctx() ctx: RequestContext,
  ): Promise<Simulation> {
    permitAnalysis(ctx, 'change');
    return new Simulation(await ctx.modules.analyst.diff(ctx, from, to), undefined);
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => AccessConnection, { description: 'Pairs that policies come to grant.' })
  gained(
    @Root() { workedOut, newName }: Simulation,
    @Args(() => PairListArgs) args: PairArguments,
  ): Page {
    return grantsPage(workedOut.gained, workedOut.after, args, newName);
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => AccessConnection, {
    description: 'Pairs that policies cease to grant; their paths are those of before.',
  })
  lost(@Root() { workedOut }: Simulation, @Args(() => PairListArgs) args: PairArguments): Page {
    return grantsPage(workedOut.lost, workedOut.before, args);
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => AccessProof, { description: 'That no pair is gained.' })
  proveNoNewAccess(@Root() { workedOut, newName }: Simulation): AccessProof {
    return proofOf(workedOut.provesNoNewAccess, workedOut.after, newName);
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => AccessProof, { description: 'That no pair is lost.' })
  proveNoLostAccess(@Root() { workedOut }: Simulation): AccessProof {
    return proofOf(workedOut.provesNoLostAccess, workedOut.before);
  }

  @Needs(may('router', 'read'))
  @FieldResolver(() => ReachChanges, { description: 'Which identities may use which routers.' })
  identityRouters(@Root() simulation: Simulation): ReachChanges {
    return reach(simulation, simulation.workedOut.identityRouters, ['identityId', 'routerId']);
  }

  @Needs(may('router', 'read'))
  @FieldResolver(() => ReachChanges, { description: 'Which services may use which routers.' })
  serviceRouters(@Root() simulation: Simulation): ReachChanges {
    return reach(simulation, simulation.workedOut.serviceRouters, ['serviceId', 'routerId']);
  }

  @Needs(may('router', 'read'))
  @FieldResolver(() => ReachChanges, {
    description: 'Which pairs with access afterwards come to share a router, or cease to.',
  })
  sharedRouters(@Root() simulation: Simulation): ReachChanges {
    return reach(simulation, simulation.workedOut.sharedRouters, ['identityId', 'serviceId']);
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => [RuleViolation], {
    nullable: true,
    description:
      'Access rules that would refuse the changes, each with the first pair; null of the past.',
  })
  async violations(
    @Root() { workedOut: { before }, changes, newName }: Simulation,
    @Ctx() ctx: RequestContext,
  ): Promise<readonly RuleViolation[] | null> {
    if (!changes) return null;
    const { rules, named } = await heldRules(ctx, newName);
    const analyst = ctx.modules.analyst;
    return named(await analyst.run(newViolations(before, modelRows(changes), rules)));
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => [RuleViolation], {
    nullable: true,
    description:
      'Access rules that do not hold once the changes are made, because of them or since earlier, each with the first pair; null of the past.',
  })
  async violatedRules(
    @Root() { workedOut: { after }, changes, newName }: Simulation,
    @Ctx() ctx: RequestContext,
  ): Promise<readonly RuleViolation[] | null> {
    if (!changes) return null;
    const { rules, named } = await heldRules(ctx, newName);
    return named(await ctx.modules.analyst.run(violations(after, rules)));
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => EndedSessions, {
    nullable: true,
    description:
      'Sessions for services that would end, for want of a policy or by posture; null of the past.',
  })
  async endedSessions(
    @Root() { workedOut, changes }: Simulation,
    @Ctx() ctx: RequestContext,
    @Arg('first', () => Int, { defaultValue: 25, description: 'How many to list, at most 100.' })
    first: number,
  ): Promise<EndedSessions | null> {
    if (!changes) return null;
    permit(ctx, may('ops', 'read'));
    if (first < 0 || first > MOST)
      throw invalidField('first', `must be from 0 to ${String(MOST)}`, first);
    const ended = await endedSessions(ctx, workedOut.after, changes);
    return { nodes: ended.slice(0, first), totalCount: ended.length };
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => FindingChanges, {
    description:
      'Findings that appear or vanish. Those that are muted now are left out; of the past all are told.',
  })
  async findings(
    @Root() { workedOut: { before, after }, changes, newName }: Simulation,
    @Ctx() ctx: RequestContext,
  ): Promise<FindingChanges> {
    const analyst = ctx.modules.analyst;
    const facts = await (changes ? findingFacts : pastFacts)(ctx);
    const diff = findingsDiff(
      await analyst.run(findings(before, facts)),
      await analyst.run(findings(after, facts)),
    );
    const mutes: FindingMutes = changes ? await mutesInForce(ctx) : new Map();
    const appeared = await withoutMuted(ctx, diff.appeared, mutes);
    const vanished = await withoutMuted(ctx, diff.vanished, mutes);
    return {
      appeared: appeared
        .slice(0, MOST)
        .map((finding) =>
          shownFinding(finding, { analyst, model: after, newName, place: placeIn(after) }),
        ),
      appearedCount: appeared.length,
      vanished: vanished
        .slice(0, MOST)
        .map((finding) =>
          shownFinding(finding, { analyst, model: before, place: placeIn(before) }),
        ),
      vanishedCount: vanished.length,
    };
  }
}

interface HeldRules {
  readonly rules: readonly AccessRule[];
  readonly named: (found: readonly Violation[]) => readonly RuleViolation[];
}

async function heldRules({ store }: RequestContext, newName: NewNames): Promise<HeldRules> {
  const rows = await allAccessRules(store);
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return {
    rules: rows.map(ruleOf),
    named: (found) =>
      found.map((violation) => ({
        ...violation,
        ruleName: names.get(violation.ruleId) ?? '',
        newName,
      })),
  };
}

async function workOut(ctx: RequestContext, changes: readonly ChangedRow[]): Promise<Simulation> {
  const analyst = ctx.modules.analyst;
  const rows = modelRows(changes);
  return new Simulation(await analyst.run(simulate(analyst.model(ctx), rows)), changes);
}

const modelRows = (changes: readonly ChangedRow[]): RowChange[] =>
  changes.flatMap((change) => rowChangeOf(change) ?? []);

const proofOf = (
  { holds, counterexample }: Proof,
  model: AccessModel,
  newName?: NewNames,
): AccessProof => ({
  holds,
  counterexample: counterexample && grantOf(model, counterexample, newName),
});

const reach = <P extends object>(
  { workedOut: { before, after }, newName }: Simulation,
  { gained, lost }: PairChanges<P>,
  names: readonly (keyof P & string)[],
): ReachChanges => ({
  gainedPage: (args) => reachPage(gained, names, args, { newName, place: placeIn(after) }),
  lostPage: (args) => reachPage(lost, names, args, { place: placeIn(before) }),
});
