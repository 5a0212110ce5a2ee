import { describe, expect, it, test } from '@jest/globals';
import {
  evaluateAccess,
  failedServiceRequest,
  judgeFor,
  noPostureData,
  noSessionPosture,
  passMfa,
  postureCauseData,
  postureQuerySets,
  type LinkingPolicy,
  type PostureCheckRecord,
  type PostureCheckSpec,
  type SessionPosture,
} from '../../../src/trust/posture/index.js';

const T1 = Date.parse('2026-01-01T10:00:00Z');
const CREATED = new Date('2025-06-01T00:00:00Z');
const UPDATED = new Date('2025-07-01T00:00:00Z');

const record = (spec: PostureCheckSpec): PostureCheckRecord => ({
  name: `name of ${spec.id}`,
  createdAt: CREATED,
  updatedAt: UPDATED,
  ...spec,
});

const mfa = (id: string, timeoutSeconds = -1): PostureCheckRecord =>
  record({ id, typeId: 'MFA', timeoutSeconds, promptOnWake: true, promptOnUnlock: false });
const domain = record({ id: 'domain', typeId: 'DOMAIN', domains: ['corp.example'] });

const policy = (
  id: string,
  type: LinkingPolicy['type'],
  ...checks: readonly PostureCheckRecord[]
): LinkingPolicy => ({ id, name: `name of ${id}`, type, checks });

const nobody = () => judgeFor({ data: noPostureData, session: noSessionPosture }, T1);
const judge = (session: SessionPosture = passMfa(noSessionPosture, T1), now = T1) =>
  judgeFor({ data: noPostureData, session }, now);

describe('posture queries', () => {
  const common = { createdAt: CREATED.toISOString(), updatedAt: UPDATED.toISOString() };
  const untimed = { isPassing: false, timeout: -1, timeoutRemaining: -1, ...common };
  const a = { osType: 'Linux', path: '/a', hashes: ['aa'] } as const;

  const queries: readonly (readonly [check: PostureCheckSpec, query: object])[] = [
    [
      { id: 'd', typeId: 'DOMAIN', domains: ['a'] },
      { queryType: 'DOMAIN', ...untimed },
    ],
    [
      { id: 'm', typeId: 'MAC', macAddresses: ['a'] },
      { queryType: 'MAC', ...untimed },
    ],
    [
      { id: 'o', typeId: 'OS', operatingSystems: [] },
      { queryType: 'OS', ...untimed },
    ],
    [
      { id: 'p', typeId: 'PROCESS', process: { ...a, signerFingerprint: 'b' } },
      { queryType: 'PROCESS', process: { osType: 'Linux', path: '/a' }, ...untimed },
    ],
    [
      {
        id: 'n',
        typeId: 'PROCESS_MULTI',
        semantic: 'AnyOf',
        processes: [{ ...a, signerFingerprints: [] }],
      },
      { queryType: 'PROCESS_MULTI', processes: [{ osType: 'Linux', path: '/a' }], ...untimed },
    ],
    [
      { id: 'f', typeId: 'MFA', promptOnWake: true },
      { queryType: 'MFA', promptOnWake: true, promptOnUnlock: false, ...untimed },
    ],
  ];

  test.each(queries)('of %j is %j', (check, query) => {
    expect(postureQuerySets([policy('p1', 'Dial', record(check))], nobody())).toStrictEqual([
      {
        policyId: 'p1',
        policyType: 'Dial',
        isPassing: false,
        postureQueries: [{ id: check.id, ...query }],
      },
    ]);
  });

  it('of a policy without checks is an empty list that passes', () => {
    expect(postureQuerySets([policy('p', 'Bind')], nobody())).toStrictEqual([
      { policyId: 'p', policyType: 'Bind', isPassing: true, postureQueries: [] },
    ]);
  });

  it('fail as a policy with one of its checks', () => {
    const sets = postureQuerySets(
      [policy('p', 'Dial', mfa('m')), policy('q', 'Dial', mfa('m'), domain)],
      judge(),
    );
    expect(sets.map(({ policyId, isPassing }) => [policyId, isPassing])).toStrictEqual([
      ['p', true],
      ['q', false],
    ]);
  });

  it('tell how much time is left', () => {
    const [set] = postureQuerySets(
      [policy('p', 'Dial', mfa('m', 600))],
      judge(undefined, T1 + 1000),
    );
    expect(set?.postureQueries[0]).toMatchObject({
      isPassing: true,
      timeout: 600,
      timeoutRemaining: 599,
      timeoutAt: '2026-01-01T10:10:00.000Z',
    });
  });

  test.each([
    ['an event that the check asks after', { wokenAt: T1 }, new Date(T1)],
    ['an event that it does not ask after', { unlockedAt: T1 }, UPDATED],
    ['an event before the check was edited', { wokenAt: CREATED.getTime() }, UPDATED],
  ])('follow with updatedAt %s', (_, events, expected) => {
    const session = { ...passMfa(noSessionPosture, T1), ...events };
    const [set] = postureQuerySets([policy('p', 'Dial', mfa('m'))], judge(session));
    expect(set?.postureQueries[0]?.updatedAt).toBe(expected.toISOString());
  });
});

describe('access', () => {
  const passes: readonly (readonly [fact: string, policies: LinkingPolicy[], ok: boolean])[] = [
    ['passes where no policy is known', [], true],
    ['passes where no policy of the type is known', [policy('p', 'Bind', domain)], true],
    ['passes with a policy without checks', [policy('p', 'Dial')], true],
    ['passes when all checks of a policy do', [policy('p', 'Dial', mfa('m'), mfa('n'))], true],
    ['fails with one check of the only policy', [policy('p', 'Dial', mfa('m'), domain)], false],
    [
      'passes with one policy beside one that fails',
      [policy('p', 'Dial', domain), policy('q', 'Dial', mfa('m'))],
      true,
    ],
    [
      'does not pass with a policy of the other type',
      [policy('p', 'Dial', domain), policy('q', 'Bind')],
      false,
    ],
  ];

  test.each(passes)('%s', (_, policies, isPassing) => {
    const access = evaluateAccess(policies, 'Dial', judge());
    expect(access.isPassing).toBe(isPassing);
    expect(access.failures.length > 0).toBe(!isPassing);
  });

  it('tells of each policy of the type which checks failed', () => {
    const policies = [
      policy('p', 'Dial', mfa('m'), domain),
      policy('q', 'Dial', domain),
      policy('r', 'Bind', domain),
    ];
    const { failures } = evaluateAccess(policies, 'Dial', judge());
    const failed = {
      postureCheckId: 'domain',
      postureCheckName: 'name of domain',
      postureCheckType: 'DOMAIN',
      actualValue: '',
      expectedValue: ['corp.example'],
    };
    expect(failures).toStrictEqual([
      { policyId: 'p', policyName: 'name of p', checks: [failed] },
      { policyId: 'q', policyName: 'name of q', checks: [failed] },
    ]);
    expect(postureCauseData(failures)).toStrictEqual({
      p: [{ id: 'domain', typeId: 'DOMAIN', isPassing: false }],
      q: [{ id: 'domain', typeId: 'DOMAIN', isPassing: false }],
    });
  });

  it('ends with the first check of the policy that lasts longest', () => {
    const short = policy('p', 'Dial', mfa('a', 60), mfa('b', 6000));
    const long = policy('q', 'Dial', mfa('c', 600), mfa('d'));
    const end = (...policies: LinkingPolicy[]) =>
      evaluateAccess(policies, 'Dial', judge()).nextChangeAt;
    expect(end(short)).toBe(T1 + 60_001);
    expect(end(short, long)).toBe(T1 + 600_001);
    expect(end(short, policy('r', 'Dial', mfa('e')))).toBeUndefined();
    expect(end(policy('s', 'Dial'))).toBeUndefined();
    expect(end(policy('t', 'Dial', mfa('a', 60), domain))).toBeUndefined();
  });
});

describe('failed service requests', () => {
  const { failures } = evaluateAccess([policy('p', 'Bind', mfa('m', 600))], 'Bind', nobody());
  const failed = failedServiceRequest('a1', { id: 's1', name: 'web' }, 'Bind', failures, T1);

  it('tell what was asked for, and what failed', () => {
    const values = { passedMfa: false, timedOut: false, passedOnWake: false, passedOnUnlock: true };
    expect(failed).toStrictEqual({
      apiSessionId: 'a1',
      serviceId: 's1',
      serviceName: 'web',
      sessionType: 'Bind',
      when: '2026-01-01T10:00:00.000Z',
      policyFailures: [
        {
          policyId: 'p',
          policyName: 'name of p',
          checks: [
            {
              postureCheckId: 'm',
              postureCheckName: 'name of m',
              postureCheckType: 'MFA',
              actualValue: values,
              expectedValue: {
                passedMfa: true,
                timedOut: false,
                passedOnWake: true,
                passedOnUnlock: false,
              },
              criteria: {
                passedMfaAt: null,
                wokenAt: null,
                unlockedAt: null,
                timeoutSeconds: 600,
                timeoutRemainingSeconds: 0,
              },
            },
          ],
        },
      ],
    });
    expect(JSON.parse(JSON.stringify(failed))).toStrictEqual(failed);
  });
});

describe('a judge', () => {
  it('evaluates a check once', () => {
    const judged = judge();
    const check = mfa('m');
    expect(judged(check)).toBe(judged(check));
  });
});
