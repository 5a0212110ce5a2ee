import { describe, expect, it, test } from '@jest/globals';
import {
  checkExternalIdClaim,
  mergeExternalIdClaim,
} from '../../../../src/trust/auth/rules/index.js';
import { COMMON_NAME_CLAIM } from '../../../support/auth-settings.js';
import { refusal } from '../../../support/refusal.js';

describe('an external id claim', () => {
  const usable: Record<string, readonly string[]> = {
    COMMON_NAME: ['ALL', 'PREFIX', 'SUFFIX'],
    SAN_EMAIL: ['ALL', 'PREFIX', 'SUFFIX'],
    SAN_URI: ['ALL', 'SCHEME'],
  };
  const pairs = Object.keys(usable).flatMap((location) =>
    ['ALL', 'PREFIX', 'SUFFIX', 'SCHEME'].map((matcher) => [location, matcher] as const),
  );

  test.each(pairs)('at %s takes the matcher %s or refuses it', (location, matcher) => {
    const sent = { ...COMMON_NAME_CLAIM, location, matcher, matcherCriteria: 'x' };
    const refused = refusal(checkExternalIdClaim, sent)?.field;
    expect(refused).toBe(
      usable[location]?.includes(matcher) ? undefined : 'externalIdClaim.matcher',
    );
  });

  test.each<[Record<string, unknown>, string]>([
    [{ location: null }, 'location'],
    [{ location: 'SAN_DNS' }, 'location'],
    [{ matcher: undefined }, 'matcher'],
    [{ matcher: 'PREFIX' }, 'matcherCriteria'],
    [{ matcher: 'PREFIX', matcherCriteria: 1 }, 'matcherCriteria'],
    [{ parser: 'JSON' }, 'parser'],
    [{ parser: 'SPLIT' }, 'parserCriteria'],
    [{ index: -1 }, 'index'],
    [{ index: 0.5 }, 'index'],
  ])('with %j is refused at %s', (members, field) => {
    expect(refusal(checkExternalIdClaim, { ...COMMON_NAME_CLAIM, ...members })?.field).toBe(
      `externalIdClaim.${field}`,
    );
  });

  test.each([[null], [undefined]])('may be missing: %j', (sent) => {
    expect(checkExternalIdClaim(sent)).toBeNull();
  });

  it('has no criteria and the first value unless told', () => {
    expect(
      checkExternalIdClaim({
        ...COMMON_NAME_CLAIM,
        matcherCriteria: null,
        parserCriteria: null,
        index: null,
      }),
    ).toEqual(COMMON_NAME_CLAIM);
  });
});

describe('a change of an external id claim', () => {
  const split = { ...COMMON_NAME_CLAIM, parser: 'SPLIT', parserCriteria: ',', index: 1 } as const;

  test.each<[unknown]>([[undefined], [{}], [{ index: null, parser: null }]])(
    'by %j is none',
    (patch) => {
      expect(mergeExternalIdClaim(split, patch)).toEqual(split);
      expect(mergeExternalIdClaim(null, patch)).toBeNull();
    },
  );

  it('by null is its end', () => {
    expect(mergeExternalIdClaim(split, null)).toBeNull();
  });

  it('keeps the members that are not sent', () => {
    expect(mergeExternalIdClaim(split, { index: 2, parserCriteria: null })).toEqual({
      ...split,
      index: 2,
    });
  });

  it('can be the first claim', () => {
    const first = { location: 'SAN_EMAIL', matcher: 'ALL', parser: 'NONE' };
    expect(mergeExternalIdClaim(null, first)).toEqual({ ...COMMON_NAME_CLAIM, ...first });
    expect(refusal(mergeExternalIdClaim, null, { index: 1 })?.field).toBe(
      'externalIdClaim.location',
    );
  });

  it('has to be sound with what was there', () => {
    expect(refusal(mergeExternalIdClaim, split, { matcher: 'SUFFIX' })?.field).toBe(
      'externalIdClaim.matcherCriteria',
    );
    expect(refusal(mergeExternalIdClaim, COMMON_NAME_CLAIM, { matcher: 'SCHEME' })?.field).toBe(
      'externalIdClaim.matcher',
    );
  });
});
