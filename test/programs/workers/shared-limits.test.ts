import { describe, expect, test } from '@jest/globals';
import type { Sender } from '../../../src/requests/limits/index.js';
import { limitsOf } from '../../support/unlimited.js';

const from = (address: string): Sender =>
  ({ headers: {}, socket: { remoteAddress: address } }) as unknown as Sender;

/* Two processes of one controller, which tell each other what they have counted. */

describe('the limits of two processes', () => {
  const settings = { addressRate: 10, graphqlBudget: 600 };

  test('count the requests of both', () => {
    let millis = 0;
    const one = limitsOf(settings, () => millis, true);
    const other = limitsOf(settings, () => millis, true);
    // Twice the rate may come at once.
    for (let i = 0; i < 20; i += 1) expect(one.tooEarly(from('10.0.0.1'))).toBe(0);
    other.spentElsewhere(one.newSpending() ?? []);
    expect(other.tooEarly(from('10.0.0.1'))).toBeCloseTo(0.1);
    expect(other.tooEarly(from('10.0.0.2'))).toBe(0);
    millis += 1_000;
    expect(other.tooEarly(from('10.0.0.1'))).toBe(0);
  });

  test('count budgets of both, and each amount once', () => {
    const one = limitsOf(settings, () => 0, true);
    const other = limitsOf(settings, () => 0, true);
    one.spend('ada', 400);
    const spending = one.newSpending() ?? [];
    other.spentElsewhere(spending);
    expect(other.budgetOf('ada')).toEqual({ remaining: 200, perMinute: 600 });
    expect(one.newSpending()).toBeUndefined();
    // What came from another process is not told back to it.
    expect(other.newSpending()).toBeUndefined();
  });

  test('remember nothing for others in a controller of one process', () => {
    const only = limitsOf(settings, () => 0);
    only.spend('ada', 400);
    expect(only.newSpending()).toBeUndefined();
  });
});
