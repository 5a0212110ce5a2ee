import { expect, test } from '@jest/globals';
import { policyAdvice } from '../../../src/access/analysis/index.js';
import { notFound } from '../../../src/base/errors.js';
import { PolicyIndex } from '../../../src/kernel/policy/index.js';

test('advises on an identity and a service', () => {
  const index = new PolicyIndex();
  index.putEntity('identity', { id: 'i', attributes: ['staff'] });
  index.putEntity('service', { id: 's', attributes: [] });
  for (const id of ['r3', 'r1', 'r2']) index.putEntity('edgeRouter', { id, attributes: [] });
  index.putPolicy('servicePolicy', {
    id: 'p',
    type: 'Dial',
    semantic: 'AnyOf',
    roles: { identities: ['#staff'], services: ['@s'], postureChecks: [] },
  });
  index.putPolicy('edgeRouterPolicy', {
    id: 'p',
    semantic: 'AnyOf',
    roles: { identities: ['#all'], edgeRouters: ['#all'] },
  });
  index.putPolicy('serviceEdgeRouterPolicy', {
    id: 'p',
    semantic: 'AnyOf',
    roles: { services: ['#all'], edgeRouters: ['@r2', '@r1', '@gone'] },
  });
  expect(policyAdvice(index, 'i', 's')).toEqual({
    identityId: 'i',
    serviceId: 's',
    isBindAllowed: false,
    isDialAllowed: true,
    identityRouterCount: 3,
    serviceRouterCount: 2,
    commonRouterIds: ['r1', 'r2'],
  });
  expect(() => policyAdvice(index, 'i', 'gone')).toThrow(
    expect.objectContaining({ detail: notFound('service', 'gone').detail }),
  );
  expect(() => policyAdvice(index, 'gone', 's')).toThrow(
    expect.objectContaining({ detail: notFound('identity', 'gone').detail }),
  );
});
