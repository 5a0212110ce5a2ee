import { expect, test } from '@jest/globals';
import { attribute, bool, objects, text } from '../../src/kernel/declare/attribute.js';
import type {
  Computed,
  MatchOf,
  NewRowOf,
  RowOf,
  ValuesOf,
} from '../../src/kernel/declare/rows.js';
import { present } from '../../src/kernel/declare/rows.js';
import { resourceOf } from '../../src/kernel/declare/resource.js';
import { catalog } from '../../src/resources/index.js';

/*
 * The compiler is the test of most of this: where a line is marked as an error that is expected, it
 * must not compile, or the step `types` of the check fails.
 */

const some = { id: 'x' } as RowOf<'Identity'>;

test('a row has the attributes that its class declares, and no others', () => {
  const isAdmin: boolean | undefined = some.isAdmin;
  const names: string[] | undefined = some.roleAttributes;
  const rules: number | undefined = ({} as Partial<RowOf<'AuthPolicy'>>).primary?.updb.maxAttempts;
  expect([isAdmin, names, rules]).toStrictEqual([undefined, undefined, undefined]);
  // @ts-expect-error -- misspelt
  expect(some.isAdministrator).toBeUndefined();
  // @ts-expect-error -- worked out when it is read: rows of the table do not have it
  expect(some.hasApiSession).toBeUndefined();
  // @ts-expect-error -- sent by clients, never stored
  expect(some.enrollmentRequest).toBeUndefined();
});

test('what is looked for and stored has the types of the attributes', () => {
  const identityId: string | undefined = undefined;
  const matches: MatchOf<'Authenticator'>[] = [
    { identityId: ['a', 'b'], method: 'updb' },
    // @ts-expect-error -- the database would take undefined as no condition at all
    { identityId },
    // @ts-expect-error -- misspelt
    { identity: 'a' },
  ];
  const values: ValuesOf<'ServicePolicy'>[] = [
    { type: 'Dial', semantic: 'AnyOf' },
    // @ts-expect-error -- not a kind of access
    { type: 'Read' },
  ];
  // @ts-expect-error -- every row has an id
  const row: NewRowOf<'Service'> = { name: 'printer' };
  expect([matches, values, row]).toHaveLength(3);
});

test('a property has the type that its attribute declares', () => {
  class Shape {
    @attribute(text(), { description: 'A text.', nullable: true })
    note!: string | null;

    @attribute(text(), { description: 'Worked out.', sql: () => ({}) as never })
    worked!: Computed<string>;

    // @ts-expect-error -- null is no part of the property
    @attribute(text(), { description: 'A text.', nullable: true })
    title!: string;

    // @ts-expect-error -- a boolean
    @attribute(bool(), { description: 'A flag.' })
    flag!: number;

    // @ts-expect-error -- a list of them
    @attribute(objects(() => Shape), { description: 'A list.' })
    parts!: Shape;

    // @ts-expect-error -- not stored
    @attribute(text(), { description: 'Worked out.', sql: () => ({}) as never })
    stored!: string;
  }
  expect(() => resourceOf(Shape)).toThrow('Shape is not declared with @resource');
});

test('every resource of the catalog is found by the name of its class', () => {
  expect(Object.keys(catalog.resources)).toStrictEqual([...catalog.all()].map(({ name }) => name));
  expect(catalog.resources.Identity.table).toBe('identity');
  // @ts-expect-error -- no such resource
  expect(catalog.resources.Person).toBeUndefined();
});

test('a write without a required member is a fault of the program', () => {
  const values: { name?: string; note?: string | null } = { name: 'a', note: null };
  expect(present(values, 'name', 'note')).toStrictEqual(values);
  expect(() => present<{ name?: string }, 'name'>({}, 'name')).toThrow('a write lacks name');
});
