import { isDeepStrictEqual } from 'node:util';
import { checkedTimes, forceAt, type PolicyTimes } from '../../access/times/index.js';
import { clock } from '../../data/rows/clock/index.js';
import type { Hooks, Write } from '../../kernel/declare/resource.js';
import { attributeOf } from '../../kernel/declare/rows.js';
import { normaliseRoleLists } from './policy-parts.js';

const TIMES = ['validFrom', 'validUntil', 'weeklyWindows', 'timeZone'] as const;

const NO_TIMES: PolicyTimes = {
  validFrom: null,
  validUntil: null,
  weeklyWindows: [],
  timeZone: null,
};

function timesIn(values: object): Partial<PolicyTimes> {
  const times = TIMES.map((name) => [name, attributeOf(values, name)] as const);
  return Object.fromEntries(times.filter(([, value]) => value !== undefined));
}

/** A write that leaves the times as they are leaves a policy in force, or out of it. */
async function storeTimes(write: Write<'ServicePolicy'>): Promise<void> {
  const { tx, input, values, current } = write;
  const before = { ...NO_TIMES, ...timesIn(current) };
  const after = { ...before, ...timesIn(values) };
  // The zone has no meaning without windows, so it goes with the last of them.
  const isZoneWritten = (input.timeZone ?? null) !== null;
  if (after.weeklyWindows.length === 0 && !isZoneWritten) after.timeZone = null;
  if (isDeepStrictEqual(after, before)) return;
  const times = checkedTimes(after);
  Object.assign(values, times, forceAt(times, await clock.now(tx)));
}

async function validate(write: Write<'ServicePolicy'>): Promise<void> {
  normaliseRoleLists(write);
  await storeTimes(write);
}

export const servicePolicyHooks: Hooks<'ServicePolicy'> = { validate };
