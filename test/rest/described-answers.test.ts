import { describe, expect, test } from '@jest/globals';
import { openApiDocument } from '../../rest-compat/index.js';
import type { Interface } from '../../rest-compat/engine/rest-row.js';
import { BASE_PATHS } from '../../src/base/interface-paths.js';
import { isObject, type Row } from '../../src/base/row.js';
import { allRestRows } from '../support/graph.js';

/* The documents say what operations answer, also those without an envelope. */

interface Operation {
  readonly summary: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Row }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Row }>> }>
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const rows = await allRestRows();
const documentOf = (on: Interface): Document => openApiDocument(rows, on, 'v0') as Document;

describe.each(Object.keys(BASE_PATHS) as Interface[])('the document of %s', (on) => {
  test('declares the shape of every answer', () => {
    const undeclared = Object.entries(documentOf(on).paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses }]) =>
        Object.values(responses)
          .flatMap(({ content = {} }) => Object.entries(content))
          .filter(([, { schema }]) => schema.type === undefined && schema.$ref === undefined)
          .map(([type]) => `${method} ${path} ${type}`),
      ),
    );
    expect(undeclared).toEqual([]);
  });
});

describe('the challenge before an enrollment', () => {
  const operation = documentOf('client').paths['/enroll/challenge']?.post;

  test('says what is signed', () => {
    expect(operation?.summary).toContain('signs the UTF-8 bytes of the nonce, exactly as received');
  });

  test('declares the members of its answer, and how the signature is written', () => {
    const schema = operation?.responses['200']?.content?.['application/json']?.schema;
    const members = ['algorithm', 'caPool', 'kid', 'signature'];
    expect(schema).toMatchObject({ type: 'object', required: members });
    const properties = isObject(schema?.properties) ? schema.properties : {};
    expect(Object.keys(properties)).toEqual(members);
    expect(Object.values(properties)).toEqual(
      members.map(() => ({ type: 'string', description: expect.any(String) })),
    );
    expect(properties.signature).toMatchObject({
      description: expect.stringMatching(/UTF-8 bytes of the nonce.*DER.*base64/),
    });
  });
});
