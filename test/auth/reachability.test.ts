import { grantableIn } from '../../src/kernel/declare/grantable.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { catalog } from '../../src/resources/index.js';
import { identityPermissions } from '../../src/auth/rules/index.js';
import { InProcess } from '../support/in-process.js';
import { documentedReaches, expectReach } from './reachability.js';

const permissionNames = identityPermissions(grantableIn(catalog));

/** Whole entities; their single actions take longer. */

let controller: InProcess;
let documented: Map<string, readonly string[]>;

beforeAll(async () => {
  documented = await documentedReaches();
  controller = await InProcess.start();
}, 60_000);
afterAll(() => controller.stop());

test('the document names every permission', () => {
  expect([...documented.keys()].sort()).toStrictEqual([...permissionNames].sort());
});

describe('the permission', () => {
  test.each(permissionNames.filter((permission) => !permission.includes('.')))(
    '%s leads to what the document says, and never to more rights',
    (permission: string) => expectReach(controller, permission, documented.get(permission)),
  );
});
