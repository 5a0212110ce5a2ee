import { describe, expect, test } from '@jest/globals';
import { patched, patchOperations } from '../../../src/access/directories/patch-operations.js';
import { matchesFilter, parseFilter } from '../../../src/access/directories/scim-filter.js';
import { ScimError } from '../../../src/access/directories/scim-error.js';
import type { JsonObject } from '../../../src/base/row.js';

/** PATCH and filters of RFC 7644, and the spellings of providers. */

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const USER: JsonObject = {
  userName: 'bjensen@example.com',
  active: true,
  name: { familyName: 'Jensen', givenName: 'Barbara' },
  emails: [
    { type: 'work', value: 'b@work.example', primary: true },
    { type: 'home', value: 'b@home.example' },
  ],
  [ENTERPRISE]: { department: 'Sales', manager: { value: '26' } },
};

const after = (...operations: readonly JsonObject[]): JsonObject =>
  patched(USER, patchOperations({ Operations: operations }));

const scimTypeOf = (work: () => unknown): unknown => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof ScimError ? error.scimType : error;
  }
};

describe('a patch', () => {
  test.each<readonly [string, JsonObject, JsonObject]>([
    ['replaces', { op: 'replace', path: 'userName', value: 'x' }, { userName: 'x' }],
    ['ignores the case', { op: 'REPLACE', path: 'USERNAME', value: 'x' }, { userName: 'x' }],
    ['adds', { op: 'add', path: 'title', value: 'Dr' }, { title: 'Dr' }],
    [
      'leads into objects',
      { op: 'replace', path: 'name.familyName', value: 'X' },
      { name: { familyName: 'X', givenName: 'Barbara' } },
    ],
    [
      'merges objects',
      { op: 'replace', path: 'name', value: { givenName: 'B' } },
      { name: { familyName: 'Jensen', givenName: 'B' } },
    ],
    [
      'leads into extensions',
      { op: 'replace', path: `${ENTERPRISE}:manager.value`, value: '7' },
      { [ENTERPRISE]: { department: 'Sales', manager: { value: '7' } } },
    ],
    [
      'has extensions as members of its value',
      { op: 'add', value: { [ENTERPRISE]: { costCenter: '4' } } },
      { [ENTERPRISE]: { department: 'Sales', manager: { value: '26' }, costCenter: '4' } },
    ],
    [
      'knows the core schema in front of a name',
      { op: 'replace', path: 'urn:ietf:params:scim:schemas:core:2.0:User:userName', value: 'x' },
      { userName: 'x' },
    ],
    [
      'adds an element once',
      { op: 'add', path: 'emails', value: [{ type: 'home', value: 'b@home.example' }] },
      { emails: USER.emails },
    ],
    [
      'removes chosen elements',
      { op: 'remove', path: 'emails[type eq "work"]' },
      { emails: [{ type: 'home', value: 'b@home.example' }] },
    ],
    [
      'changes chosen elements',
      { op: 'replace', path: 'emails[type eq "home"].value', value: 'x' },
      { emails: [(USER.emails as unknown[])[0], { type: 'home', value: 'x' }] },
    ],
    [
      'makes an element that is not there',
      { op: 'replace', path: 'phoneNumbers[type eq "work"].value', value: '1' },
      { phoneNumbers: [{ type: 'work', value: '1' }] },
    ],
  ])('%s', (_, operation, changes) => {
    expect(after(operation)).toStrictEqual({ ...USER, ...changes });
  });

  test('removes members, and applies its operations in order', () => {
    const { name, ...others } = USER;
    expect(after({ op: 'remove', path: 'name' })).toStrictEqual(others);
    expect(
      after({ op: 'remove', path: 'name' }, { op: 'add', path: 'name', value: name }),
    ).toStrictEqual({ ...others, name });
  });

  test('does not change what it is applied to, and no prototype', () => {
    const before = structuredClone(USER);
    after({ op: 'replace', value: { active: false, 'name.givenName': 'X' } });
    expect(USER).toStrictEqual(before);
    const changed = after({ op: 'add', path: 'constructor.prototype', value: { evil: true } });
    expect(({} as { evil?: boolean }).evil).toBeUndefined();
    expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
  });

  test.each<readonly [JsonObject, string]>([
    [{ op: 'replace', path: 'emails[', value: 1 }, 'invalidPath'],
    [{ op: 'replace', path: '', value: 1 }, 'invalidPath'],
    [{ op: 'replace', path: '__proto__', value: 1 }, 'invalidPath'],
    [{ op: 'replace', path: 'emails[type]', value: 1 }, 'invalidFilter'],
    [{ op: 'replace', value: 'x' }, 'invalidSyntax'],
    [{ op: 'remove' }, 'noTarget'],
    [{ op: 'move', path: 'x' }, 'invalidSyntax'],
  ])('is refused: %j', (operation, scimType) => {
    expect(scimTypeOf(() => after(operation))).toBe(scimType);
  });
});

describe('a filter', () => {
  test.each<readonly [string, boolean]>([
    ['userName eq "BJENSEN@example.com"', true],
    ['userName ne "x"', true],
    ['title ne "x"', true],
    ['name.familyName sw "jen" and active eq true', true],
    ['active eq "True"', true],
    ['title pr or name pr', true],
    ['not (emails pr)', false],
    ['emails eq "b@home.example"', true],
    ['emails[type eq "work" and value co "home"]', false],
    ['emails[type eq "work" and value co "work"]', true],
    [`${ENTERPRISE}:department eq "sales"`, true],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName ew ".com"', true],
    ['userName gt "a" and userName lt "c"', true],
    ['toString pr', false],
  ])('%s: %s', (text, expected) => {
    expect(matchesFilter(USER, parseFilter(text))).toBe(expected);
  });

  test('is refused when it is none, or too long', () => {
    for (const text of [
      'userName',
      'eq "x"',
      'a eq',
      '(a pr',
      'a xx "b"',
      `a eq "${'x'.repeat(3_000)}"`,
    ]) {
      expect(scimTypeOf(() => parseFilter(text))).toBe('invalidFilter');
    }
  });
});
