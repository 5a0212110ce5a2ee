import {
  moveDueAssignments,
  type MovedAssignments,
} from '../../../src/access/assignments/index.js';
import type { Row } from '../../../src/base/row.js';
import { sql } from '../../../src/base/sql.js';
import type { RequestContext } from '../../../src/kernel/request/context.js';
import type { GraphAnswer, InProcess } from '../../support/in-process.js';

/** Role assignments of a controller in this process. Time passes when a test says so. */

const HOUR = 3_600_000;

/** A time by the clock of the database, which is that of this machine, far from any rounding. */
export const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR).toISOString();

export const assign = (
  on: InProcess,
  input: Row,
  ctx: RequestContext = on.ctx(),
): Promise<GraphAnswer> =>
  on.graph(
    `mutation ($input: CreateRoleAssignmentInput!) { assigned: createRoleAssignment(input: $input) {
      id state source requestedById } }`,
    { input },
    ctx,
  );

export async function assigned(on: InProcess, input: Row): Promise<string> {
  const { data, messages } = await assign(on, input);
  if (messages.length > 0) throw new Error(messages.join());
  return (data?.assigned as { id: string }).id;
}

/** Lets hours pass for these assignments: their times move into the past instead. */
export const passHours = (
  on: InProcess,
  hours: number,
  ...ids: readonly string[]
): Promise<unknown> =>
  on.parts.store.query(
    sql`update role_assignment set active_from = active_from - make_interval(hours => ${hours}::int),
        active_until = active_until - make_interval(hours => ${hours}::int)
      where id = any(${[...ids]}::text[])`,
  );

/** Begins and ends what is due, as the controller does. */
export async function moveDue(on: InProcess): Promise<MovedAssignments> {
  const refusedIds: string[] = [];
  for (let count = 0; ;) {
    const step = await moveDueAssignments(on.anonymous(), refusedIds);
    refusedIds.push(...step.refusedIds);
    count += step.count;
    if (step.count === 0 && step.refusedIds.length === 0) return { count, refusedIds };
  }
}

export const codes = ({ errors }: GraphAnswer): unknown => errors.map((error) => error?.code);

export interface ShownIdentity {
  readonly roleAttributes: readonly string[];
  readonly assignedRoleAttributes: readonly string[];
  readonly effectiveRoleAttributes: readonly string[];
  readonly services: { readonly nodes: readonly { readonly name: string }[] };
}

export async function shown(on: InProcess, id: string): Promise<ShownIdentity> {
  const { identity } = await on.read<{ identity: ShownIdentity }>(
    `query ($id: ID!) { identity(id: $id) {
      roleAttributes assignedRoleAttributes effectiveRoleAttributes services { nodes { name } } } }`,
    { id },
  );
  return identity;
}
