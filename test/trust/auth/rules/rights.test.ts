import { grantableIn } from '../../../../src/kernel/declare/grantable.js';
import { describe, expect, test } from '@jest/globals';
import { exceeds } from '../../../../src/trust/auth/rules/rights.js';
import { catalog } from '../../../../src/resources/index.js';

const holder = (...permissions: string[]) => ({ isAdmin: false, permissions });
const ADMINISTRATOR = { isAdmin: true, permissions: [] };

describe('the rights of an identity', () => {
  test.each([
    [holder(), holder()],
    [holder('identity.read'), holder('identity')],
    [holder('identity.read'), holder('admin_readonly')],
    [holder('change'), holder('change.read')],
    [holder('change'), holder('admin_readonly')],
    [holder('ops'), holder('ops.read', 'ops.update', 'ops.delete')],
    [
      holder('identity'),
      holder('identity.create', 'identity.read', 'identity.update', 'identity.delete'),
    ],
    [holder('ca', 'service.read'), holder('service', 'ca')],
    [ADMINISTRATOR, ADMINISTRATOR],
    [holder('identity'), ADMINISTRATOR],
  ])('%j do not exceed %j', (identity, other) => {
    expect(exceeds(identity, other, grantableIn(catalog))).toBe(false);
  });

  test.each([
    [holder('identity.read'), holder()],
    [holder('identity'), holder('identity.create', 'identity.read', 'identity.update')],
    [holder('identity.update'), holder('admin_readonly')],
    // It inspects, too.
    [holder('ops.read'), holder('admin_readonly')],
    [holder('admin_readonly'), holder('identity', 'service', 'ca', 'ops')],
    [holder('ca', 'identity.read'), holder('ca')],
    [holder('service-policy.read'), holder('service')],
    [ADMINISTRATOR, holder('admin_readonly', 'identity')],
    [holder('unknown'), holder('identity')],
  ])('%j exceed %j', (identity, other) => {
    expect(exceeds(identity, other, grantableIn(catalog))).toBe(true);
  });
});
