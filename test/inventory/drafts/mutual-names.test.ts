import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Row } from '../../../src/base/row.js';
import { PLAIN_PASSWORDS } from '../../support/auth-settings.js';
import { InProcess } from '../../support/in-process.js';
import {
  apply,
  codeOf,
  create,
  detailOf,
  idsOf,
  newPerson,
  newService,
  obstaclesOf,
  remove,
  revert,
  tryToApply,
  tryToSimulate,
  undo,
  update,
} from './support.js';

/** Changes that name what later changes of their list create, also each other. */

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

const signer = (id: string, policy: string): Row =>
  create('externalJwtSigner', id, {
    name: id,
    issuer: `https://${id}.example/`,
    audience: 'network',
    jwksEndpoint: `https://${id}.example/keys`,
    enabled: true,
    enrollToCertEnabled: true,
    enrollAuthPolicyId: policy,
  });

const policyOf = (allowedSigners: readonly string[], required: string | null): Row => ({
  primary: {
    cert: { allowed: false, allowExpiredCerts: false },
    extJwt: { allowed: true, allowedSigners },
    updb: { ...PLAIN_PASSWORDS, allowed: false },
  },
  secondary: { requireTotp: false, requireExtJwtSigner: required },
});

const policy = (id: string, signers: readonly string[]): Row =>
  create('authPolicy', id, { name: id, ...policyOf(signers, signers[0] ?? null) });

const present = async (): Promise<Row> => {
  const { externalJwtSigners, authPolicies } = await controller.read<Row>(
    `{ externalJwtSigners(sort: "name") { nodes { name revision enrollAuthPolicy { name } } }
       authPolicies(filter: "name != \\"Default\\"", sort: "name") { nodes { name revision primary { extJwt { allowedSigners } } } } }`,
  );
  return { externalJwtSigners, authPolicies };
};

const names = (network: Row): string => JSON.stringify(network).replaceAll(/"revision":\d+,?/g, '');

const exported = async (changes: readonly Row[]): Promise<Row> => {
  const { exportChanges } = await controller.read<Row>(
    'query ($changes: [ModelChangeInput!]!) { exportChanges(changes: $changes) { document omitted } }',
    { changes },
  );
  return exportChanges as Row;
};

describe('a signer and an auth policy that name each other', () => {
  test.each([
    ['the signer first', ['s1'], (s: readonly Row[], p: Row) => [...s, p]],
    ['the policy first', ['s2'], (s: readonly Row[], p: Row) => [p, ...s]],
    ['two signers around the policy', ['s3', 's4'], ([a, b]: readonly Row[], p: Row) => [a, p, b]],
  ] as const)('are made by one list: %s', async (_, ids, ordered) => {
    const policyId = `policy of ${ids.join(' ')}`.replaceAll(' ', '-');
    const changes = ordered(
      ids.map((id) => signer(id, policyId)),
      policy(policyId, ids),
    ) as Row[];
    expect(codeOf(await tryToSimulate(controller, changes))).toBe('done');
    const { document, omitted } = await exported(changes);
    expect(omitted).toEqual([]);
    expect(document).toMatchObject({
      externalJwtSigners: ids.map((name) => ({ name, enrollAuthPolicy: `@${policyId}` })),
      authPolicies: [{ primary: { extJwt: { allowedSigners: ids.map((id) => `@${id}`) } } }],
    });
    const answer = await apply(controller, changes);
    expect(answer.map(({ entityId }) => entityId)).toEqual(changes.map(({ id }) => id));
    const signers = answer.filter(({ type }) => type === 'externalJwtSigner');
    for (const { revision, fields, changeIds } of signers) {
      expect([revision, changeIds.length]).toEqual([2, 2]);
      expect(fields).toContainEqual({
        name: 'enrollAuthPolicyId',
        before: null,
        after: policyId,
      });
    }
    expect(await present()).toMatchObject({
      externalJwtSigners: {
        nodes: expect.arrayContaining(
          ids.map((name) => ({ name, revision: 2, enrollAuthPolicy: { name: policyId } })),
        ),
      },
      authPolicies: {
        nodes: expect.arrayContaining([
          { name: policyId, revision: 1, primary: { extJwt: { allowedSigners: [...ids] } } },
        ]),
      },
    });
  });

  test('come back together after their deletion', async () => {
    await apply(controller, [policy('p8', ['s8']), signer('s8', 'p8')]);
    const both = await present();
    const gone = await apply(controller, [
      update('externalJwtSigner', 's8', { enrollAuthPolicyId: null }),
      remove('authPolicy', 'p8'),
      remove('externalJwtSigner', 's8'),
    ]);
    const reversal = await revert(controller, idsOf(gone));
    expect(obstaclesOf(reversal)).toEqual([]);
    await undo(controller, reversal);
    expect(names(await present())).toStrictEqual(names(both));
  });

  test.each([
    [
      'the signer first',
      (s: string, p: string) => [remove('externalJwtSigner', s), remove('authPolicy', p)],
    ],
    [
      'the policy first',
      (s: string, p: string) => [remove('authPolicy', p), remove('externalJwtSigner', s)],
    ],
  ] as const)('are deleted by one list, and come back: %s', async (order, deletions) => {
    const [s, p] = [`s of ${order}`, `p of ${order}`].map((id) => id.replaceAll(' ', '-')) as [
      string,
      string,
    ];
    const before = await present();
    await apply(controller, [signer(s, p), policy(p, [s])]);
    const both = await present();
    const list = deletions(s, p);
    expect(codeOf(await tryToSimulate(controller, list))).toBe('done');
    const gone = await apply(controller, list);
    expect(gone.map(({ entityId }) => entityId)).toEqual(list.map(({ id }) => id));
    expect(await present()).toStrictEqual(before);
    const [signerGone] = gone.filter(({ type }) => type === 'externalJwtSigner');
    expect(signerGone?.changeIds).toHaveLength(2);
    expect(signerGone?.fields).toContainEqual({
      name: 'enrollAuthPolicyId',
      before: p,
      after: null,
    });
    const reversal = await revert(controller, idsOf(gone));
    expect(obstaclesOf(reversal)).toEqual([]);
    await undo(controller, reversal);
    expect(names(await present())).toStrictEqual(names(both));
    await apply(controller, list);
  });

  test('are deleted by the undoing of their creation, also in a circle of several', async () => {
    const before = await present();
    const made = await apply(controller, [
      signer('s10', 'p10'),
      signer('s11', 'p11'),
      policy('p10', []),
      policy('p11', []),
      update('authPolicy', 'p10', policyOf(['s11'], null)),
      update('authPolicy', 'p11', policyOf(['s10'], 's10')),
    ]);
    const reversal = await revert(controller, idsOf(made));
    expect(obstaclesOf(reversal)).toEqual([]);
    await undo(controller, reversal);
    expect(await present()).toStrictEqual(before);
  });

  test('are refused together, at the place of the fault', async () => {
    const before = await present();
    const changes = [{ ...policy('p9', ['s9', 'nobody']) }, signer('s9', 'p9')];
    const refused = await tryToApply(controller, changes);
    expect(JSON.stringify(detailOf(refused))).toContain('changes[0]');
    const faulty = { ...signer('s9', 'p9') };
    const outcome = await tryToApply(controller, [
      policy('p9', ['s9']),
      { ...faulty, input: { ...(faulty.input as Row), issuer: '' } },
    ]);
    expect(JSON.stringify(detailOf(outcome))).toContain('changes[1]');
    expect(await present()).toStrictEqual(before);
  });
});

test('a change names what a later change creates', async () => {
  const changes = [
    create('servicePolicy', 'reads', {
      name: 'reads',
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['@gate'],
      serviceRoles: ['@later'],
    }),
    newService('later', { configs: ['of-later'] }),
    create('config', 'of-later', { name: 'of later', configTypeId: 'any', data: {} }),
    create('configType', 'any', { name: 'any', schema: null }),
    create('edgeRouter', 'gate', { name: 'gate', isTunnelerEnabled: true }),
  ];
  const answer = await apply(controller, changes);
  expect(answer.map(({ entityId, revision }) => [entityId, revision])).toEqual(
    changes.map(({ id }) => [id, 1]),
  );
  expect(obstaclesOf(await revert(controller, idsOf(answer)))).toEqual([]);
});

test('an entity that is created again keeps its place in the list', async () => {
  await apply(controller, [newService('again')]);
  const outcome = await tryToApply(controller, [
    update('servicePolicy', 'reads', { serviceRoles: ['@again'] }),
    remove('service', 'again'),
    newService('again'),
  ]);
  expect(codeOf(outcome)).toBe('done');
  const { servicePolicy } = await controller.read<Row>(
    '{ servicePolicy(id: "reads") { serviceRoles } }',
  );
  expect(servicePolicy).toEqual({ serviceRoles: [] });
});

describe('a deletion', () => {
  const people = (id: string) => newPerson(id, { authPolicyId: `of-${id}` });
  const policyOnly = (id: string) =>
    create('authPolicy', `of-${id}`, { name: `of ${id}`, ...policyOf([], null) });

  test('comes after that of an entity that holds it back', async () => {
    await apply(controller, [policyOnly('ann'), people('ann')]);
    const gone = await apply(controller, [
      remove('authPolicy', 'of-ann'),
      remove('identity', 'ann'),
    ]);
    expect(gone.map(({ entityId, changeIds }) => [entityId, changeIds.length])).toEqual([
      ['of-ann', 1],
      ['ann', 1],
    ]);
  });

  test('is refused at its place while another entity holds it back', async () => {
    await apply(controller, [
      policyOnly('eve'),
      people('eve'),
      newPerson('adam', { authPolicyId: 'of-eve' }),
    ]);
    const outcome = await tryToApply(controller, [
      newService('never'),
      remove('authPolicy', 'of-eve'),
      remove('identity', 'eve'),
    ]);
    expect(codeOf(outcome)).toBe('CAN_NOT_DELETE_REFERENCED_ENTITY');
    expect(JSON.stringify(detailOf(outcome))).toContain('changes[1]: referenced by identity adam');
  });

  test('stays behind an earlier change of its entity', async () => {
    const list = [
      remove('authPolicy', 'of-eve'),
      update('identity', 'eve', { authPolicyId: 'default' }),
      remove('identity', 'eve'),
    ];
    expect(codeOf(await tryToApply(controller, list))).toBe('CAN_NOT_DELETE_REFERENCED_ENTITY');
  });
});
