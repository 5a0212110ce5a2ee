import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  applyResponses,
  evaluateAccess,
  evaluateCheck,
  judgeFor,
  noPostureData,
  noSessionPosture,
  noteTimeouts,
  passMfa,
  postureCheckTypeIds,
  readPostureResponses,
  satisfiesRange,
  parseStrictVersion,
  type LinkingPolicy,
  type PostureCheckRecord,
  type PostureCheckSpec,
  type PostureSubject,
  type SessionPosture,
} from '../../../src/trust/posture/index.js';
import { runs } from '../../support/runs.js';

const DAY = Date.parse('2026-01-01T00:00:00Z');

/** Few instants, seconds apart or at an edge, so that events meet timeouts. */
const instant = fc
  .tuple(fc.integer({ min: 0, max: 14 }), fc.constantFrom(-1, 0, 1))
  .map(([minutes, edge]) => DAY + minutes * 60_000 + edge);

const session: fc.Arbitrary<SessionPosture> = fc.record(
  {
    passedMfaAt: instant,
    wokenAt: instant,
    unlockedAt: instant,
    sdkInfo: fc.constantFrom({ type: 'ziti-sdk-c', version: '1.0.0' }, { type: 'other' }),
    timedOutChecks: fc.constantFrom([], [], ['c1']),
  },
  { requiredKeys: ['timedOutChecks'] },
);

const mfaCheck = (id: string): fc.Arbitrary<PostureCheckRecord> =>
  fc
    .record({
      timeoutSeconds: fc.constantFrom(-1, 0, 1, 60, 300, 301, 600),
      promptOnWake: fc.boolean(),
      promptOnUnlock: fc.boolean(),
      ignoreLegacyEndpoints: fc.boolean(),
    })
    .map((fields) => ({
      id,
      name: id,
      typeId: 'MFA',
      createdAt: new Date(DAY),
      updatedAt: new Date(DAY),
      ...fields,
    }));

const ofSession = (known: SessionPosture): PostureSubject => ({
  data: noPostureData,
  session: known,
});

/** Instants between two, both ends included: the edges and some in between. */
const between = (from: number, to: number): number[] =>
  [from, from + 1, Math.floor((from + to) / 2), to - 1, to].filter((at) => at >= from && at <= to);

describe('the next change', () => {
  it('of a check is the first instant with another verdict, and there is none later', () => {
    fc.assert(
      fc.property(mfaCheck('c1'), session, instant, (check, known, now) => {
        const passesAt = (at: number) => evaluateCheck(check, ofSession(known), at).isPassing;
        const { isPassing, nextChangeAt } = evaluateCheck(check, ofSession(known), now);
        const end = nextChangeAt ?? DAY + 86_400_000;
        expect(between(now, end - 1).map(passesAt)).not.toContain(!isPassing);
        if (nextChangeAt === undefined) return;
        expect([isPassing, nextChangeAt > now]).toStrictEqual([true, true]);
        expect(between(end, DAY + 86_400_000).map(passesAt)).not.toContain(true);
      }),
      runs(600),
    );
  });

  it('of access is the first instant without it', () => {
    const ids = ['c1', 'c2', 'c3'];
    const policies = fc
      .tuple(...ids.map(mfaCheck))
      .chain((checks) => fc.array(fc.subarray(checks), { maxLength: 3 }))
      .map((all) =>
        all.map((checks, i): LinkingPolicy => ({ id: `p${i}`, name: '', type: 'Dial', checks })),
      );
    fc.assert(
      fc.property(policies, session, instant, (linking, known, now) => {
        const at = (moment: number) =>
          evaluateAccess(linking, 'Dial', judgeFor(ofSession(known), moment));
        const { isPassing, nextChangeAt } = at(now);
        const end = nextChangeAt ?? DAY + 86_400_000;
        for (const moment of between(now, end - 1)) expect(at(moment).isPassing).toBe(isPassing);
        if (nextChangeAt !== undefined) expect(at(nextChangeAt).isPassing).toBe(false);
      }),
      runs(300),
    );
  });
});

describe('time left', () => {
  it('is none exactly when it is told that it is over, and never more than the timeout', () => {
    fc.assert(
      fc.property(mfaCheck('c1'), session, instant, (check, known, now) => {
        const { timeoutRemaining, timeoutAt } = evaluateCheck(check, ofSession(known), now);
        expect(timeoutRemaining).toBeLessThanOrEqual(check.timeoutSeconds ?? -1);
        if (timeoutAt === undefined) expect(timeoutRemaining).toBeLessThanOrEqual(0);
        else if (check.timeoutSeconds !== 0) expect(timeoutRemaining > 0).toBe(timeoutAt > now);
      }),
      runs(600),
    );
  });

  it('is not brought back by a longer timeout, only by MFA', () => {
    fc.assert(
      fc.property(mfaCheck('c1'), session, instant, fc.nat(86_400), (check, known, now, longer) => {
        const before = evaluateCheck(check, ofSession(known), now);
        const noted = noteTimeouts(known, [check], now);
        expect(evaluateCheck(check, ofSession(noted), now)).toMatchObject({
          isPassing: before.isPassing,
        });
        if (noted === known) return;
        const edited = { ...check, timeoutSeconds: (check.timeoutSeconds ?? 0) + longer };
        expect(evaluateCheck(edited, ofSession(noted), now).isPassing).toBe(false);
        const again = { ...edited, timeoutSeconds: -1, promptOnWake: false, promptOnUnlock: false };
        expect(evaluateCheck(again, ofSession(passMfa(noted, now)), now).isPassing).toBe(true);
      }),
      runs(300),
    );
  });
});

const text = fc.constantFrom('', 'aa', 'bb', 'AA', '/a', '/b');

/** Responses that do not speak of the same thing: one of a kind, and one of a check and its path. */
const responses = fc
  .tuple(
    fc.record({ typeId: fc.constant('OS'), id: text, type: text, version: text }),
    fc.record({ typeId: fc.constant('DOMAIN'), id: text, domain: text }),
    fc.record({ typeId: fc.constant('MAC'), id: text, macAddresses: fc.array(text) }),
    ...['p', 'q', 'r'].map((id) =>
      fc.record({
        typeId: fc.constant('PROCESS'),
        id: fc.constant(id),
        path: fc.constant(`/${id}`),
        isRunning: fc.boolean(),
        hash: text,
        signerFingerprints: fc.array(text, { maxLength: 2 }),
      }),
    ),
    fc.record({ typeId: fc.constant('ENDPOINT_STATE'), id: text, woken: fc.boolean() }),
  )
  .map((all) => readPostureResponses(all.map((body) => ({ ...body, id: body.id || '0' }))));

const wantedProcess = fc.record({
  osType: fc.constant('Linux' as const),
  path: fc.constantFrom('', '/p', '/q', '/r', '/s'),
  hashes: fc.array(text, { maxLength: 2 }),
  signerFingerprints: fc.array(text, { maxLength: 2 }),
});

const check: fc.Arbitrary<PostureCheckSpec> = fc.record({
  id: fc.constantFrom('p', 'q', 'other'),
  typeId: fc.constantFrom(...postureCheckTypeIds),
  operatingSystems: fc.constant([{ type: 'Linux' as const, versions: ['1'] }]),
  domains: fc.array(text),
  macAddresses: fc.array(text),
  process: wantedProcess.map((wanted) => ({ ...wanted, signerFingerprint: '' })),
  processes: fc.array(wantedProcess, { maxLength: 3 }),
  semantic: fc.constantFrom('AllOf', 'AnyOf'),
  promptOnWake: fc.boolean(),
});

describe('evaluation', () => {
  const passed = passMfa(noSessionPosture, DAY);

  it('does not depend on the order of responses', () => {
    const shuffled = responses.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(shuffled, check, ([all, mixed], asked) => {
        const [one, other] = [all, mixed].map((list) =>
          evaluateCheck(asked, applyResponses(noPostureData, passed, list, DAY), DAY),
        );
        expect(one).toStrictEqual(other);
      }),
      runs(30),
    );
  });

  it('does not change without a change of state', () => {
    const two = responses.chain((all) => fc.tuple(fc.constant(all), fc.subarray(all), responses));
    fc.assert(
      fc.property(two, check, ([all, some, others], asked) => {
        const first = applyResponses(noPostureData, passed, all, DAY);
        for (const more of [some, others]) {
          const second = applyResponses(first.data, first.session, more, DAY + 1);
          if (second.changed) continue;
          const [before, after] = [first, second].map((s) => evaluateCheck(asked, s, DAY + 1));
          expect(after).toStrictEqual(before);
        }
      }),
      runs(30),
    );
  });

  it('passes with any of the processes wherever it passes with all of them', () => {
    fc.assert(
      fc.property(responses, check, (all, asked) => {
        const known = applyResponses(noPostureData, passed, all, DAY);
        const passes = (semantic: 'AllOf' | 'AnyOf') =>
          evaluateCheck({ ...asked, typeId: 'PROCESS_MULTI', semantic }, known, DAY).isPassing;
        expect(passes('AnyOf') || !passes('AllOf')).toBe(true);
      }),
      runs(30),
    );
  });

  it('says what failed exactly when it fails', () => {
    fc.assert(
      fc.property(responses, check, (all, asked) => {
        const known = applyResponses(noPostureData, passed, all, DAY);
        const { isPassing, failure } = evaluateCheck(asked, known, DAY);
        expect(failure === undefined).toBe(isPassing);
      }),
      runs(30),
    );
  });

  it('fails every check without data', () => {
    fc.assert(
      fc.property(check, (asked) => {
        const unknown = { data: noPostureData, session: noSessionPosture };
        expect(evaluateCheck(asked, unknown, DAY).isPassing).toBe(false);
      }),
      runs(30),
    );
  });
});

describe('a range of versions', () => {
  const number = fc.nat(3);
  const version = fc
    .tuple(number, number, number, fc.constantFrom('', '-rc.1', '-rc.2'))
    .map(([major, minor, patch, pre]) => `${major}.${minor}.${patch}${pre}`);
  const pattern = fc.oneof(
    version,
    fc.array(number, { minLength: 1, maxLength: 2 }).map((parts) => `${parts.join('.')}.x`),
  );
  const holds = (range: string, text: string): boolean => {
    const parsed = parseStrictVersion(text);
    return parsed !== undefined && satisfiesRange(parsed, range);
  };

  it('and its opposite share no version and leave none out', () => {
    const opposites = fc.constantFrom(['=', '!='], ['<', '>='], ['>', '<=']);
    fc.assert(
      fc.property(opposites, pattern, version, ([one, other], p, v) => {
        expect(holds(`${one}${p}`, v)).toBe(!holds(`${other}${p}`, v));
      }),
      runs(300),
    );
  });

  it('with a space holds what both hold, with bars what either does', () => {
    const comparator = fc
      .tuple(fc.constantFrom('', '!', '>', '>=', '<', '<='), pattern)
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(comparator, comparator, version, (a, b, v) => {
        expect(holds(`${a} ${b}`, v)).toBe(holds(a, v) && holds(b, v));
        expect(holds(`${a} || ${b}`, v)).toBe(holds(a, v) || holds(b, v));
      }),
      runs(300),
    );
  });
});
