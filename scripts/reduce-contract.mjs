/**
 * `node scripts/reduce-contract.mjs [--print]`: reduces the published contract in the folder that
 * OVERGRAPH_CONTRACT_DIR names to the facts that the tests hold, and writes test/rest/contract/, or
 * prints it. The notation is explained in test/rest/support/contract-notation.ts.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

const folder = process.env.OVERGRAPH_CONTRACT_DIR;
if (!folder) throw new Error('OVERGRAPH_CONTRACT_DIR names no folder');

const read = (...path) => JSON.parse(readFileSync(join(folder, ...path), 'utf8'));

/** The fabric interface has schemas of its own. */
const CONTRACTS = {
  edge: {
    below: '',
    interfaces: ['client', 'management'],
    additions: 'additions-v0.31.0.json',
  },
  fabric: { below: 'fabric', interfaces: ['fabric'] },
};

/** `{"GET /services": "limit:integer filter:string / - / 200#listServicesEnvelope 400 401"}` */
function operationsOf(operations) {
  return sorted(
    operations.map(({ method, path, params, body, responses }) => [
      `${method} ${path}`,
      [queryOf(params), bodyOf(body), answersOf(responses)].join(' / '),
    ]),
  );
}

const queryOf = (params) =>
  params
    .filter((p) => p.in === 'query')
    .map((p) => `${p.name}${p.required ? '*' : ''}:${p.type}`)
    .join(' ') || '-';

const bodyOf = (body) =>
  body === null ? '-' : `#${body.schemaRef ?? ''}${body.required ? '*' : ''}`;

const answersOf = (responses) =>
  Object.entries(responses)
    .map(([status, { schemaRef }]) =>
      schemaRef && Number(status) < 400 ? `${status}#${schemaRef}` : status,
    )
    .join(' ');

function schemasOf(schemas) {
  const named = Object.entries(schemas);
  return {
    // The member that says of which kind an object is, and the kind of each schema.
    discriminators: pick(named, 'discriminator'),
    kinds: pick(named, 'x-class'),
    schemas: sorted(named.map(([name, schema]) => [name, typeOf(schema)])),
  };
}

const pick = (named, keyword) =>
  sorted(named.flatMap(([name, s]) => (s[keyword] === undefined ? [] : [[name, s[keyword]]])));

function sorted(entries) {
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function typeOf(schema) {
  const text = bareTypeOf(schema);
  if (!schema.nullable) return text;
  return schema.allOf ? `(${text})?` : `${text}?`;
}

function bareTypeOf({ $ref, allOf, properties, required = [], additionalProperties, ...schema }) {
  if ($ref) return `#${$ref}`;
  if (allOf) return allOf.map(typeOf).join(' & ');
  if (properties || required.length > 0) return membersOf(properties ?? {}, required);
  if (additionalProperties) {
    return `<${additionalProperties === true ? '*' : typeOf(additionalProperties)}>`;
  }
  if (schema.enum) return `=${schema.enum.join('|')}`;
  if (schema.items) return `[${typeOf(schema.items)}]${boundsOf(schema.minItems)}`;
  const type = [schema.type ?? '*'].flat().join('/');
  const format = schema.format ? `:${schema.format}` : '';
  const bounds = boundsOf(schema.minimum ?? schema.minLength, schema.maximum ?? schema.maxLength);
  return `${type}${format}${bounds}`;
}

const boundsOf = (least, most) =>
  least === undefined && most === undefined ? '' : `(${least ?? ''}..${most ?? ''})`;

/** Some schemas require members that only another part declares. */
function membersOf(properties, required) {
  const declared = Object.entries(properties).map(
    ([name, member]) => `${name}${required.includes(name) ? '*' : ''}: ${typeOf(member)}`,
  );
  const others = required.filter((name) => !(name in properties)).map((name) => `${name}*`);
  return `{${[...declared, ...others].join(', ')}}`;
}

/** Adds what a newer version of the contract has: schemas, and members `schema.member` of others. */
function withAdditions(schemas, { schemas: more, changedSchemas }) {
  const all = { ...schemas, ...more };
  for (const [name, changed] of Object.entries(changedSchemas)) {
    const [schema, member] = name.split('.');
    if (member === undefined) all[schema] = changed;
    else declaringPart(all[schema], member).properties[member] = changed;
  }
  return all;
}

const declaringPart = (schema, member) =>
  [schema, ...(schema.allOf ?? [])].find((part) => part.properties?.[member]);

const NO_ADDITIONS = { operations: {}, schemas: {}, changedSchemas: {} };

const reduced = Object.fromEntries(
  Object.entries(CONTRACTS).map(([name, { below, interfaces, additions }]) => {
    const added = additions ? read(below, additions) : NO_ADDITIONS;
    const operations = (on) => [
      ...read(below, `${on}.operations.json`),
      ...(added.operations[on] ?? []),
    ];
    return [
      name,
      {
        operations: Object.fromEntries(interfaces.map((on) => [on, operationsOf(operations(on))])),
        ...schemasOf(withAdditions(read(below, 'schemas.json').schemas, added)),
      },
    ];
  }),
);

if (process.argv.includes('--print')) process.stdout.write(JSON.stringify(reduced));
else {
  const target = join(root, 'test/rest/contract');
  mkdirSync(target, { recursive: true });
  for (const [name, contract] of Object.entries(reduced)) {
    writeFileSync(join(target, `${name}.json`), `${JSON.stringify(contract, null, 2)}\n`);
  }
}
