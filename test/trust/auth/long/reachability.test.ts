import { describe } from '@jest/globals';
import { identityPermissions } from '../../../../src/trust/auth/rules/index.js';
import { grantableIn } from '../../../../src/kernel/declare/grantable.js';
import { catalog } from '../../../../src/resources/index.js';
import { testReaches } from '../reachability.js';

const permissionNames = identityPermissions(grantableIn(catalog));

describe('the permission', () => {
  testReaches(permissionNames.filter((permission) => permission.includes('.')));
});
