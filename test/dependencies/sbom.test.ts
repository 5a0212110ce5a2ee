import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { findBinaries } from '../../src/data/store/embedded/binaries.js';
import { makeFolder, runScript } from './project.js';

/** The list of what the controller consists of, which comes with the build. */

interface Component {
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly scope: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses: readonly object[];
}

interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: string[] }[];
}

interface Entry {
  readonly name?: string;
  readonly version: string;
  readonly integrity: string;
  readonly dependencies?: Record<string, string>;
}

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
}

const SBOM = 'dist/sbom.cdx.json';

const readJson = async <T>(path: string): Promise<T> =>
  JSON.parse(await readFile(path, 'utf8')) as T;

let bom: Bom;
let libraries: readonly Component[];
let manifest: Manifest;
let consoleManifest: Pick<Manifest, 'dependencies'>;
let entries: Record<string, Entry>;

beforeAll(async () => {
  expect(await runScript('build.mjs', [])).toMatchObject({ code: 0 });
  bom = await readJson(SBOM);
  libraries = bom.components.filter(({ name }) => name !== 'postgresql');
  manifest = await readJson('package.json');
  consoleManifest = await readJson('console/package.json');
  entries = (await readJson<{ packages: Record<string, Entry> }>('package-lock.json')).packages;
});

const dependenciesOf = (reference: string): readonly string[] =>
  bom.dependencies.find(({ ref }) => ref === reference)?.dependsOn ?? [];

describe('the list', () => {
  test('is a CycloneDX document of version 1.6', async () => {
    const schema = (file: string): Promise<object> =>
      readJson(`node_modules/@cyclonedx/cyclonedx-library/res/schema/${file}`);
    const ajv = new Ajv({ strict: false, formats: { 'iri-reference': true, 'idn-email': true } });
    formats.default(ajv);
    for (const file of ['spdx.SNAPSHOT.schema.json', 'jsf-0.82.SNAPSHOT.schema.json']) {
      ajv.addSchema(await schema(file), `http://cyclonedx.org/schema/${file}`);
    }
    const validate = ajv.compile(await schema('bom-1.6.SNAPSHOT.schema.json'));
    validate(bom);
    expect(validate.errors).toBeNull();
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
  });

  test('holds what package.json names, but not for development', () => {
    const { dependencies, optionalDependencies, devDependencies } = manifest;
    const pinned = [
      ...Object.entries({ ...dependencies, ...optionalDependencies }),
      // Packages of a workspace are part of its built files.
      ...Object.entries(consoleManifest.dependencies),
    ];
    // Both may name the same package.
    const direct = [...new Set(pinned.map(([name, version]) => `${name}@${version}`))];
    const product = bom.metadata.component['bom-ref'];
    expect([...dependenciesOf(product)].sort()).toStrictEqual(direct.sort());
    const references = new Set(bom.components.map((each) => each['bom-ref']));
    expect(direct.filter((each) => !references.has(each))).toStrictEqual([]);
    const tools = ['jest', 'prettier', 'typescript', 'prisma'].map(
      (name) => `${name}@${devDependencies[name] ?? ''}`,
    );
    expect(tools.filter((each) => references.has(each))).toStrictEqual([]);
  });

  test('holds all that these require, and nothing else', () => {
    const reached = new Set<string>();
    const pending = [bom.metadata.component['bom-ref']];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      pending.push(...dependenciesOf(next));
    }
    const all = [bom.metadata.component, ...bom.components].map((each) => each['bom-ref']);
    expect([...reached].sort()).toStrictEqual(all.sort());
    for (const [path, { name, version, dependencies = {} }] of Object.entries(entries)) {
      const reference = `${name ?? path.split('node_modules/').at(-1) ?? ''}@${version}`;
      if (path === '' || !reached.has(reference)) continue;
      const named = dependenciesOf(reference).map((each) => each.slice(0, each.lastIndexOf('@')));
      expect(named).toStrictEqual(expect.arrayContaining(Object.keys(dependencies)));
    }
  });

  test('states version, address, checksum and licence of each package', () => {
    const checksums = new Map(
      Object.entries(entries).map(([path, { name, version, integrity }]) => [
        `${name ?? path.split('node_modules/').at(-1) ?? ''}@${version}`,
        integrity,
      ]),
    );
    expect(libraries.length).toBeGreaterThan(Object.keys(manifest.dependencies).length);
    for (const { group, name, version, purl, hashes, licenses, ...rest } of libraries) {
      const full = group === undefined ? name : `${group}/${name}`;
      expect(rest['bom-ref']).toBe(`${full}@${version}`);
      expect(decodeURIComponent(purl)).toBe(`pkg:npm/${full}@${version}`);
      const content = hashes?.[0]?.content ?? '';
      expect(hashes?.[0]?.alg).toBe('SHA-512');
      expect(`sha512-${Buffer.from(content, 'hex').toString('base64')}`).toBe(
        checksums.get(`${full}@${version}`),
      );
      expect(licenses).toHaveLength(1);
    }
  });

  test('holds the embedded PostgreSQL for every platform', async () => {
    const { optionalDependencies } = manifest;
    const platforms = Object.keys(optionalDependencies);
    expect(platforms.length).toBeGreaterThan(0);
    const [database, ...others] = bom.components.filter(({ name }) => name === 'postgresql');
    expect(others).toStrictEqual([]);
    expect(database?.licenses).toStrictEqual([{ license: { id: 'PostgreSQL' } }]);
    for (const name of platforms) {
      const reference = `${name}@${optionalDependencies[name] ?? ''}`;
      expect(dependenciesOf(reference)).toStrictEqual([database?.['bom-ref']]);
    }
    const { postgres } = await findBinaries(await makeFolder(), undefined);
    const { stdout } = await promisify(execFile)(postgres, ['--version']);
    expect(stdout.trim()).toBe(`postgres (PostgreSQL) ${database?.version ?? ''}`);
  });

  test('is the same whenever it is written, and stays when nothing changed', async () => {
    const again = join(await makeFolder(), 'again.json');
    await runScript('dependencies/sbom.mjs', [again]);
    expect(await readFile(again, 'utf8')).toBe(await readFile(SBOM, 'utf8'));
    const before = await stat(SBOM);
    await runScript('build.mjs', []);
    expect((await stat(SBOM)).mtimeMs).toBe(before.mtimeMs);
  });
});
