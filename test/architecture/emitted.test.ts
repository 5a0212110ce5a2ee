import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';

const FILES = [
  'edge-client.json',
  'edge-management.json',
  'fabric.json',
  'kept-entities.json',
  'permissions.json',
  'schema.graphql',
];

function emit(...args: string[]): Promise<{ code: number; errors: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['dist/src/programs/emit.js', ...args], (error, _, errors) => {
      resolve({ code: error ? Number(error.code) : 0, errors });
    });
  });
}

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overgraph-schema-'));
  await emit(folder);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the emitted schemas', () => {
  test('are the committed files', async () => {
    expect((await readdir(folder)).sort()).toEqual(FILES);
  });

  test.each(FILES)('%s is committed as the sources give it', async (name) => {
    const committed = await readFile(join('schema', name), 'utf8');
    expect(committed === (await readFile(join(folder, name), 'utf8'))).toBe(true);
  });

  test('can be read as what they are', async () => {
    const graph = buildSchema(await readFile(join(folder, 'schema.graphql'), 'utf8'));
    expect(graph.getQueryType()?.getFields()).toHaveProperty('identities');
    const management = JSON.parse(await readFile(join(folder, 'edge-management.json'), 'utf8')) as {
      openapi: string;
      servers: object[];
    };
    expect(management.openapi).toMatch(/^3\.0\./);
    expect(management.servers).toEqual([{ url: '/edge/management/v1' }]);
  });

  test('are compared by --check, which names every stale file', async () => {
    expect(await emit('--check', folder)).toEqual({ code: 0, errors: '' });
    await appendFile(join(folder, 'edge-client.json'), '\n');
    await rm(join(folder, 'schema.graphql'));
    const { code, errors } = await emit('--check', folder);
    expect(code).toBe(1);
    expect(errors).toContain('schema/edge-client.json is stale');
    expect(errors).toContain('schema/schema.graphql is stale');
    expect(errors).not.toContain('edge-management');
  });
});
