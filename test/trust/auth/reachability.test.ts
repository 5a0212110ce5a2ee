import { describe, expect, test } from '@jest/globals';
import { identityPermissions } from '../../../src/trust/auth/rules/index.js';
import { grantableIn } from '../../../src/kernel/declare/grantable.js';
import { catalog } from '../../../src/resources/index.js';
import { documentedReaches, testReaches } from './reachability.js';

const permissionNames = identityPermissions(grantableIn(catalog));

test('the document names every permission', async () => {
  const documented = await documentedReaches();
  expect([...documented.keys()].sort()).toStrictEqual([...permissionNames].sort());
});

/** Whole entities; their single actions take longer. */
describe('the permission', () => {
  testReaches(permissionNames.filter((permission) => !permission.includes('.')));
});
