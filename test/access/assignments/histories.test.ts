import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sql } from '../../../src/base/sql.js';
import type { InProcess } from '../../support/in-process.js';
import { startTwo, type TwoInProcess } from '../../support/two-in-process.js';
import { costlyRuns } from '../../support/runs.js';
import { assign, inHours, moveDue, passHours, shown } from './assigned.js';

/** After any history, an identity has what is written on it and what its active assignments give it. */

let both: TwoInProcess;
let count = 0;

beforeAll(async () => {
  both = await startTwo({});
});
afterAll(() => both.stop());

const ATTRIBUTES = ['a', 'b', 'c'] as const;

const HOURS = fc.integer({ min: -6, max: 6 });

const STEP = fc.oneof(
  fc.record({
    do: fc.constant('assign' as const),
    attribute: fc.constantFrom(...ATTRIBUTES),
    from: fc.option(HOURS),
    lasts: fc.option(fc.integer({ min: 1, max: 6 })),
  }),
  fc.record({
    do: fc.constant('extend' as const),
    which: fc.nat(5),
    lasts: fc.option(fc.integer({ min: 1, max: 9 })),
  }),
  fc.record({ do: fc.constant('remove' as const), which: fc.nat(5) }),
  fc.record({ do: fc.constant('write' as const), attributes: fc.subarray([...ATTRIBUTES]) }),
  fc.record({ do: fc.constant('pass' as const), hours: fc.integer({ min: 1, max: 5 }) }),
);
type Step = typeof STEP extends fc.Arbitrary<infer S> ? S : never;

interface Assignment {
  readonly id: string;
  readonly attribute: string;
  from: number;
  until: number;
}

/** The attributes of an identity by the rules; its time is in hours. */
class Expectation {
  written: readonly string[] = [];
  readonly assignments: Assignment[] = [];

  isActive = ({ from, until }: Assignment): boolean => from <= 0 && until > 0;

  get effective(): string[] {
    const assigned = this.assignments.filter(this.isActive).map(({ attribute }) => attribute);
    return [...new Set([...this.written, ...assigned])].sort();
  }

  /** Whether another assignment of the attribute has not ended. */
  isTaken(attribute: string, but?: Assignment): boolean {
    return this.assignments.some(
      (one) => one !== but && one.attribute === attribute && one.until > 0,
    );
  }

  pass(hours: number): void {
    for (const one of this.assignments) {
      one.from -= hours;
      one.until -= hours;
    }
  }
}

/** Half an hour away from the present, so that no time of a test is the present. */
const at = (hours: number): string => inHours(hours - 0.5);

async function follow(on: InProcess, id: string, step: Step, expected: Expectation): Promise<void> {
  const chosen =
    'which' in step ? expected.assignments[step.which % expected.assignments.length] : undefined;
  switch (step.do) {
    case 'assign': {
      const from = step.from ?? 0;
      const until = step.lasts === null ? Infinity : from + step.lasts;
      const { data, messages } = await assign(on, {
        identityId: id,
        roleAttribute: step.attribute,
        activeFrom: at(from),
        ...(until === Infinity ? {} : { activeUntil: at(until) }),
      });
      const isRefused = until > 0 && expected.isTaken(step.attribute);
      expect(messages.length > 0).toBe(isRefused);
      if (isRefused) return;
      const { id: assignmentId } = data?.assigned as { id: string };
      const { attribute } = step;
      expected.assignments.push({ id: assignmentId, attribute, from, until });
      return;
    }
    case 'extend': {
      if (!chosen) return;
      const until = step.lasts === null ? Infinity : chosen.from + step.lasts;
      const { messages } = await on.graph(
        `mutation ($id: ID!, $until: DateTime) {
          updateRoleAssignment(id: $id, input: { activeUntil: $until }) { id } }`,
        { id: chosen.id, until: until === Infinity ? null : at(until) },
      );
      const isRefused = until > 0 && expected.isTaken(chosen.attribute, chosen);
      expect(messages.length > 0).toBe(isRefused);
      if (!isRefused) chosen.until = until;
      return;
    }
    case 'remove': {
      if (!chosen) return;
      await on.read('mutation ($id: ID!) { deleteRoleAssignment(id: $id) }', { id: chosen.id });
      expected.assignments.splice(expected.assignments.indexOf(chosen), 1);
      return;
    }
    case 'write': {
      await on.read(
        `mutation ($id: ID!, $attributes: [String!]!) {
          updateIdentity(id: $id, input: { roleAttributes: $attributes }) { id } }`,
        { id, attributes: [...step.attributes] },
      );
      expected.written = step.attributes;
      return;
    }
    case 'pass': {
      await passHours(on, step.hours, ...expected.assignments.map((one) => one.id));
      expected.pass(step.hours);
      await moveDue(on);
    }
  }
}

const stored = async (on: InProcess, id: string): Promise<readonly string[]> => {
  const [row] = await on.parts.store.query(
    sql<{
      attributes: string[];
    }>`select array(select distinct x from unnest(effective_role_attributes) x order by x)
      as attributes from identity where id = ${id}::text`,
  );
  return row?.attributes ?? [];
};

test('written and active assigned attributes are the effective ones, in every form', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ step: STEP, isAtOther: fc.boolean() }), { minLength: 1, maxLength: 12 }),
      async (steps) => {
        count += 1;
        const id = await both.controller.create('Identity', {
          name: `somebody ${String(count)}`,
          type: 'Default',
          isAdmin: false,
        });
        const expected = new Expectation();
        for (const { step, isAtOther } of steps) {
          const on = isAtOther ? both.other : both.controller;
          await follow(on, id, step, expected);
          // Neither controller is told of what the other one writes.
          await on.forgetRows();
          const { effectiveRoleAttributes, roleAttributes } = await shown(on, id);
          expect(roleAttributes).toStrictEqual([...expected.written].sort());
          expect(effectiveRoleAttributes).toStrictEqual(expected.effective);
          expect(await stored(on, id)).toStrictEqual(expected.effective);
          expect(await moveDue(both.other)).toStrictEqual({ count: 0, refusedIds: [] });
        }
      },
    ),
    costlyRuns(15),
  );
});
