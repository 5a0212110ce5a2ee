import { grantableIn } from '../../src/kernel/declare/grantable.js';
import { expect, test } from '@jest/globals';
import { catalogRows } from '../../rest-compat/rows/catalog-rows.js';
import { checkPermissions, identityPermissions } from '../../src/trust/auth/rules/index.js';
import { attribute, text } from '../../src/kernel/declare/attribute.js';
import { Catalog } from '../../src/kernel/declare/catalog.js';
import { concernedBy, deciding } from '../../src/kernel/declare/decisions.js';
import { resource } from '../../src/kernel/declare/resource.js';
import type { Change } from '../../src/kernel/request/store-port.js';
import { catalog } from '../../src/resources/index.js';
import { NamedEntity } from '../../src/resources/entity.js';
import { declaredTables } from '../../src/data/store/tables/index.js';
import { sectionsOf } from '../../src/inventory/transfer/section.js';

/* A resource that the program does not know follows from its declaration alone. */

@resource({
  description: 'What somebody wrote down.',
  plural: 'Notes',
  path: 'notes',
  permission: 'note',
  grants: ['read', 'update'],
  decides: { reach: ['text'], callers: 'all' },
  rest: { conflicts: ['delete'], links: ({ id }) => ({ text: `notes/${id}/text` }) },
})
class Note extends NamedEntity {
  @attribute(text(), { description: 'The text.', required: true })
  text!: string;
}

const known = new Catalog({ Note }, new Map());
const note = known.get('Note');
const changed = (operation: Change['operation']): Change => ({
  resource: 'Note',
  id: 'n',
  operation,
  revision: 1,
  before: null,
  after: null,
  at: new Date(0),
});

test('its permission can be given to identities, as far as it says', () => {
  expect(identityPermissions(grantableIn(known))).toStrictEqual([
    'admin_readonly',
    'note',
    'note.read',
    'note.update',
  ]);
  expect(checkPermissions(grantableIn(known), ['note.read'])).toStrictEqual(['note.read']);
  expect(() => checkPermissions(grantableIn(catalog), ['note.read'])).toThrow();
});

test('it has a table, and a section of the files that hold a network', () => {
  expect(declaredTables(known).find(({ name }) => name === 'note')?.columns).toContainEqual(
    expect.objectContaining({ name: 'text', type: 'text' }),
  );
  expect(sectionsOf(known).map(({ name }) => name)).toStrictEqual(['notes']);
});

test('the REST interface serves it, with the links and the refusals that it declares', () => {
  const rows = catalogRows(known);
  expect(rows.map(({ method, path }) => `${method} ${path}`)).toStrictEqual([
    'GET /notes',
    'GET /notes/{id}',
    'POST /notes',
    'PUT /notes/{id}',
    'PATCH /notes/{id}',
    'DELETE /notes/{id}',
  ]);
  const refusals = Object.fromEntries(rows.map(({ method, errors }) => [method, errors]));
  // Access rules judge what decides who reaches what.
  expect(refusals.POST).toContain(409);
  expect(refusals.DELETE).toContain(409);
  const detail = rows.find(({ path, method }) => path === '/notes/{id}' && method === 'GET');
  const view = detail?.answer.kind === 'data' ? detail.answer.view : undefined;
  expect(view?.({ id: 'n', name: 'one', text: 'two', tags: {} } as never)).toMatchObject({
    _links: { self: { href: './notes/n' }, text: { href: './notes/n/text' } },
    name: 'one',
    text: 'two',
  });
});

test('readers of the change log learn what it decides', () => {
  expect(deciding(known, 'reach')).toStrictEqual(['Note']);
  expect(deciding(known, 'posture')).toStrictEqual([]);
  const anybody = { apiSessionId: 's', identityId: 'i' };
  expect(concernedBy(known, [changed('update')])?.(anybody)).toBe(true);
  expect(concernedBy(known, [changed('create')])).toBeUndefined();
  expect(note.options.decides?.reach).toStrictEqual(['text']);
});

test('of the catalog itself, sessions and identities concern their own callers', () => {
  const caller = { apiSessionId: 's', identityId: 'i' };
  const ends = (resourceName: string, id: string): boolean | undefined =>
    concernedBy(catalog, [{ ...changed('delete'), resource: resourceName, id }])?.(caller);
  expect(ends('ApiSession', 's')).toBe(true);
  expect(ends('ApiSession', 'other')).toBe(false);
  expect(ends('Identity', 'i')).toBe(true);
  expect(ends('AuthPolicy', 'any')).toBe(true);
  expect(ends('ExternalJwtSigner', 'any')).toBe(true);
  expect(ends('Service', 's')).toBeUndefined();
});
