import { GraphQLJSON } from 'graphql-scalars';
import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
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
  type Simulation as ModelDifferences,
  type Violation,
  rowChangeOf,
  namesGiven,
  type NewNames,
  findingFacts,
  pastFacts,
  mutesInForce,
  withoutMuted,
  type FindingMutes,
  placeIn,
  POINT,
} from '../../../access/analysis/index.js';
import { accessRules } from '../../../data/rows/policy/index.js';
import type { Page } from '../../../kernel/read/connection.js';
import type { RequestContext } from '../../../kernel/request/context.js';
import { invalidField } from '../../../base/errors.js';
import { attribute, bool, described, object, objects } from '../../../kernel/declare/attribute.js';
import { outputType } from '../../../kernel/graph/graphql-types.js';
import { RestMember } from '../../../kernel/graph/rest-member.js';
import { AlsoReads, Needs } from '../../../kernel/graph/needs.js';
import { Rest } from '../../../kernel/graph/rest-operation.js';
import {
  ANALYSIS_COST,
  EACH_CHANGE,
  FINDINGS_COST,
  IMPORT_SIMULATION_COST,
  Runs,
} from '../../../kernel/graph/pace.js';
import { ADMIN, may, permit } from '../../../kernel/declare/permissions.js';
import type { Change } from '../../../kernel/request/store-port.js';
import { rehearse } from '../../../inventory/drafts/index.js';
import { planRows } from '../../../inventory/transfer/index.js';
import { grantOf, type PairArguments } from '../../analysis/access-list.js';

import { endedSessions } from '../../../access/enforcement/index.js';
import { shownFinding, type ShownFinding } from '../../analysis/finding-page.js';
import { ACCESS_ENTITIES } from '../../analysis/permit-analysis.js';
import { grantsPage, reachPage } from '../../analysis/pair-connection.js';
import { AccessConnection, AccessGrant, PairListArgs } from './accesses-types.js';
import { ImportChanges, importChanges } from './import-changes.js';
import { RuleViolation } from './rule-violation.js';
import { FIRST } from './first-entries.js';
import {
  EndedSessions,
  FindingChanges,
  ModelChangeInput,
  ReachConnection,
} from './what-if-types.js';

/** A row after hypothetical changes; null for a deleted one. */
type ChangedRow = Pick<Change, 'resource' | 'id' | 'after'>;

/** The longest list of findings or of ended sessions. */
const MAX_PAGE_SIZE = 100;

@described('A claim about all pairs, with the first one that refutes it.')
class AccessProof {
  @attribute(bool(), { description: 'Whether it holds.' })
  readonly holds!: boolean;

  @attribute(object(() => AccessGrant), {
    nullable: true,
    description: 'The first pair that refutes it.',
    restWithout: ['paths'],
  })
  readonly counterexample!: AccessGrant | null;
}

const PROOF = outputType(object(() => AccessProof));
const VIOLATIONS = outputType(objects(() => RuleViolation));

/** The effects of the changes of a finding are computed on demand. */
interface ShownFindingChanges extends Omit<FindingChanges, 'appeared' | 'vanished'> {
  readonly appeared: readonly ShownFinding[];
  readonly vanished: readonly ShownFinding[];
}

@ObjectType({ description: 'Pairs that appear and disappear.', simpleResolvers: true })
class ReachChanges {
  readonly gainedPage!: (args: PairArguments) => Page;
  readonly lostPage!: (args: PairArguments) => Page;
}

@Resolver(() => ReachChanges)
export class ReachChangesResolver {
  @Needs(may('router', 'read'))
  @FieldResolver(() => ReachConnection, { description: 'Pairs that appear.' })
  gained(
    @Root() { gainedPage }: ReachChanges,
    @Args(() => PairListArgs) args: PairArguments,
  ): Page {
    return gainedPage(args);
  }

  @Needs(may('router', 'read'))
  @FieldResolver(() => ReachConnection, { description: 'Pairs that disappear.' })
  lost(@Root() { lostPage }: ReachChanges, @Args(() => PairListArgs) args: PairArguments): Page {
    return lostPage(args);
  }
}

/** The differences in access between two states of the network. */
@ObjectType({ description: 'The differences between two states of the network.' })
class Simulation {
  readonly newName: NewNames;

  constructor(
    readonly differences: ModelDifferences,
    /** The changes from one state to the other; undefined for two points of the change log. */
    readonly changes: readonly ChangedRow[] | undefined,
  ) {
    this.newName = namesGiven(changes ?? []);
  }
}

@ObjectType({ description: 'The effect of an import on access.', simpleResolvers: true })
class ImportSimulation {
  @Field(() => [String], { description: 'The first 1,000 faults of the document.' })
  faults!: readonly string[];

  @Field(() => Int, { description: 'Number of faults.' })
  faultCount!: number;

  @Field(() => [String], { description: 'Members of the document that the import ignores.' })
  ignored!: readonly string[];

  @Field(() => Simulation, { nullable: true, description: 'Null if there are faults.' })
  simulation!: Simulation | null;

  @Field(() => ImportChanges, { description: 'The import as a list of changes.' })
  changes!: ImportChanges;
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
  })
  @Needs(may('identity', 'read'))
  @AlsoReads(...ACCESS_ENTITIES)
  @Runs({ lane: 'background', cost: ANALYSIS_COST, entryCost: EACH_CHANGE })
  @Query(() => Simulation, {
    description:
      'The effect of changes, made in their order by the rules of the mutations. Nothing is written.',
  })
  async simulate(
    @Arg('changes', () => [ModelChangeInput], {
      description: 'The changes, at most 1,000.',
    })
    changes: ModelChangeInput[],
    @Ctx() ctx: RequestContext,
  ): Promise<Simulation> {
    const changedRows = await rehearse(ctx, changes);
    return simulated(ctx, changedRows);
  }

  @Needs(ADMIN)
  @Runs({ lane: 'background', isLong: true, cost: IMPORT_SIMULATION_COST })
  @Query(() => ImportSimulation, {
    description:
      'The effect of the import of a document on access. Nothing is written. Documents of more than 1 MiB go to `POST /graphql/import`.',
  })
  async simulateImport(
    @Arg('document', () => GraphQLJSON, { description: 'Section -> entities.' }) document: unknown,
    @Ctx() ctx: RequestContext,
  ): Promise<ImportSimulation> {
    const { rows, faults, planned, ...planSummary } = await planRows(ctx, document);
    return {
      ...planSummary,
      faults: faults.map(({ message }) => message),
      simulation: planSummary.faultCount > 0 ? null : await simulated(ctx, rows),
      changes: importChanges(planned),
    };
  }

  @Rest({
    method: 'GET',
    path: '/access-diff',
    operationId: 'diffAccess',
    tag: 'analysis',
    selectionArguments: FIRST,
    errors: [410],
    answer: { kind: 'data', without: ['violations', 'violatedRules', 'endedSessions'] },
  })
  @Needs(may('identity', 'read'))
  @AlsoReads(...ACCESS_ENTITIES, 'change')
  @Runs({ lane: 'background', cost: ANALYSIS_COST })
  @Query(() => Simulation, {
    description:
      'The differences between two points in time. Sessions and access rules concern the present, so they are null here.',
  })
  async accessDiff(
    @Arg('from', () => String, { description: `The first point: ${POINT}.` }) from: string,
    @Arg('to', () => String, { nullable: true, description: 'The second point; default: now.' })
    to: string | null | undefined,
    @Ctx() ctx: RequestContext,
  ): Promise<Simulation> {
    return new Simulation(await ctx.modules.analyst.diff(ctx, from, to), undefined);
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => AccessConnection, { description: 'Pairs that policies start granting.' })
  gained(
    @Root() { differences, newName }: Simulation,
    @Args(() => PairListArgs) args: PairArguments,
  ): Page {
    return grantsPage(differences.gained, differences.after, args, newName);
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(() => AccessConnection, {
    description: 'Pairs that policies stop granting, with their paths before the changes.',
  })
  lost(@Root() { differences }: Simulation, @Args(() => PairListArgs) args: PairArguments): Page {
    return grantsPage(differences.lost, differences.before, args);
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(PROOF, { description: 'The claim that no pair is gained.' })
  proveNoNewAccess(@Root() { differences, newName }: Simulation): AccessProof {
    return proofOf(differences.provesNoNewAccess, differences.after, newName);
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(PROOF, { description: 'The claim that no pair is lost.' })
  proveNoLostAccess(@Root() { differences }: Simulation): AccessProof {
    return proofOf(differences.provesNoLostAccess, differences.before);
  }

  @Needs(may('router', 'read'))
  @FieldResolver(() => ReachChanges, {
    description: 'Identities and the routers that they may use.',
  })
  identityRouters(@Root() simulation: Simulation): ReachChanges {
    return reach(simulation, simulation.differences.identityRouters, ['identityId', 'routerId']);
  }

  @Needs(may('router', 'read'))
  @FieldResolver(() => ReachChanges, { description: 'Services and the routers that they may use.' })
  serviceRouters(@Root() simulation: Simulation): ReachChanges {
    return reach(simulation, simulation.differences.serviceRouters, ['serviceId', 'routerId']);
  }

  @Needs(may('router', 'read'))
  @FieldResolver(() => ReachChanges, {
    description: 'Pairs with access after the changes that start or stop sharing a router.',
  })
  sharedRouters(@Root() simulation: Simulation): ReachChanges {
    return reach(simulation, simulation.differences.sharedRouters, ['identityId', 'serviceId']);
  }

  @Needs(may('identity', 'read'))
  @Runs({ lane: 'background', cost: FINDINGS_COST })
  @FieldResolver(outputType(object(() => FindingChanges)), {
    description:
      'Findings that appear or vanish, without those that are muted at present; for the past all of them.',
  })
  async findings(
    @Root() { differences: { before, after }, changes, newName }: Simulation,
    @Ctx() ctx: RequestContext,
  ): Promise<ShownFindingChanges> {
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
        .slice(0, MAX_PAGE_SIZE)
        .map((finding) =>
          shownFinding(finding, { analyst, model: after, newName, place: placeIn(after) }),
        ),
      appearedCount: appeared.length,
      vanished: vanished
        .slice(0, MAX_PAGE_SIZE)
        .map((finding) =>
          shownFinding(finding, { analyst, model: before, place: placeIn(before) }),
        ),
      vanishedCount: vanished.length,
    };
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(VIOLATIONS, {
    nullable: true,
    description:
      'Access rules that would refuse the changes, each with the first pair; null for the past.',
  })
  async violations(
    @Root() { differences: { before }, changes, newName }: Simulation,
    @Ctx() ctx: RequestContext,
  ): Promise<readonly RuleViolation[] | null> {
    if (!changes) return null;
    const { rules, withNames } = await readRules(ctx, newName);
    const analyst = ctx.modules.analyst;
    return withNames(await analyst.run(newViolations(before, modelRows(changes), rules)));
  }

  @Needs(may('identity', 'read'))
  @FieldResolver(VIOLATIONS, {
    nullable: true,
    description:
      'Access rules that do not hold after the changes, because of them or already before, each with the first pair; null for the past.',
  })
  async violatedRules(
    @Root() { differences: { after }, changes, newName }: Simulation,
    @Ctx() ctx: RequestContext,
  ): Promise<readonly RuleViolation[] | null> {
    if (!changes) return null;
    const { rules, withNames } = await readRules(ctx, newName);
    return withNames(await ctx.modules.analyst.run(violations(after, rules)));
  }

  @Needs(may('identity', 'read'))
  @RestMember({ keepsDefaults: true })
  @FieldResolver(outputType(object(() => EndedSessions)), {
    nullable: true,
    description:
      'Sessions for services that would end because of missing policies or posture; null for the past.',
  })
  async endedSessions(
    @Root() { differences, changes }: Simulation,
    @Ctx() ctx: RequestContext,
    @Arg('first', () => Int, {
      defaultValue: 25,
      description: 'Number of sessions to list, at most 100.',
    })
    first: number,
  ): Promise<EndedSessions | null> {
    if (!changes) return null;
    permit(ctx, may('ops', 'read'));
    if (first < 0 || first > MAX_PAGE_SIZE)
      throw invalidField('first', `must be from 0 to ${String(MAX_PAGE_SIZE)}`, first);
    const ended = await endedSessions(ctx, differences, changes);
    return { nodes: ended.slice(0, first), totalCount: ended.length };
  }
}

interface NamedRules {
  readonly rules: readonly AccessRule[];
  readonly withNames: (violations: readonly Violation[]) => readonly RuleViolation[];
}

async function readRules({ store }: RequestContext, newName: NewNames): Promise<NamedRules> {
  const rows = await accessRules.all(store);
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  return {
    rules: rows,
    withNames: (ruleViolations) =>
      ruleViolations.flatMap((violation) => {
        const rule = rowsById.get(violation.ruleId);
        return rule ? [{ ...violation, ruleName: rule.name, ruleKind: rule.kind, newName }] : [];
      }),
  };
}

async function simulated(ctx: RequestContext, changes: readonly ChangedRow[]): Promise<Simulation> {
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
  { differences: { before, after }, newName }: Simulation,
  { gained, lost }: PairChanges<P>,
  names: readonly (keyof P & string)[],
): ReachChanges => ({
  gainedPage: (args) => reachPage(gained, names, args, { newName, place: placeIn(after) }),
  lostPage: (args) => reachPage(lost, names, args, { place: placeIn(before) }),
});
