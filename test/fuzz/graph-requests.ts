import type { GraphQLNamedType } from 'graphql';
import { isObject } from '../../src/base/row.js';
import type { CallerKind, FuzzRequest } from './fuzz-request.js';
import {
  fieldsOf,
  isComposite,
  operationOf,
  type GraphArgument,
  type GraphField,
  type RootField,
} from './graph-operations.js';
import type { Random } from './random.js';
import type { Shape } from './shapes.js';
import { valueFor, type Making } from './values.js';

/** Less often than others: what hashes, writes files, or looks at the whole network. */
const WEIGHTS: Readonly<Record<string, number>> = {
  authenticate: 2,
  deleteCurrentApiSession: 1,
  createCurrentMfa: 1,
  createAuthenticator: 2,
  replaceAuthenticator: 2,
  updateAuthenticator: 2,
  replaceCurrentAuthenticator: 2,
  updateCurrentAuthenticator: 2,
  createSnapshot: 1,
  checkDataIntegrity: 1,
  fixDataIntegrity: 1,
  importNetwork: 2,
  simulateImport: 2,
  exportNetwork: 2,
  simulate: 4,
  accessMap: 3,
  accessMapClass: 3,
  applyChanges: 4,
  revertChanges: 4,
  exportChanges: 4,
  accessDiff: 3,
  findings: 4,
};

export const graphWeightOf = ({ name }: RootField): number =>
  WEIGHTS[name] ?? (name.startsWith('delete') ? 5 : 10);

interface Writing extends Making {
  /** Declarations and values of the variables so far. */
  readonly declared: string[];
  readonly variables: Record<string, unknown>;
}

const CREATING = /^(create|authenticate$|openSession$)/;

/** A document that asks for one operation, or a query for a few. */
export function graphRequest(
  field: RootField,
  others: readonly RootField[],
  index: number,
  caller: CallerKind,
  random: Random,
): FuzzRequest {
  const writing: Writing = {
    random,
    unique: `fuzz-${String(index)}`,
    declared: [],
    variables: {},
  };
  const fields = [field, ...(field.root === 'query' && random.chance(10) ? others : [])];
  const selections = fields.map((one, i) => {
    const alias = fields.length > 1 ? `r${String(i)}: ` : '';
    return alias + fieldText(one, { ...writing, idsOf: one.idsOf }, 0);
  });
  const head = writing.declared.length > 0 ? `Fuzz(${writing.declared.join(', ')})` : 'Fuzz';
  const query = `${field.root} ${head} { ${selections.join(' ')} }`;
  return {
    index,
    operation: operationOf(field),
    caller,
    method: 'POST',
    path: field.root === 'subscription' ? '/graphql/stream' : '/graphql',
    query: [],
    headers: [['content-type', 'application/json']],
    body: { kind: 'json', value: { query, variables: writing.variables } },
    framing: 'length',
    mutations: [],
    ...(CREATING.test(field.name) ? { creates: field.idsOf } : {}),
    ...(field.root === 'subscription' ? { isStream: true } : {}),
  };
}

function fieldText(field: GraphField, writing: Writing, depth: number): string {
  const selection = isComposite(field.type) ? ` ${selectionOf(field.type, writing, depth)}` : '';
  return field.name + argumentsOf(field, writing, depth) + selection;
}

const PAGING = new Set(['first', 'last', 'limit', 'offset', 'after', 'before']);

/** Those that it needs, some that it takes; pages within pages are small. */
function argumentsOf({ args }: GraphField, writing: Writing, depth: number): string {
  const { random } = writing;
  const isPage = args.some(({ name }) => name === 'first');
  const given = args.filter(({ name, isRequired }) => {
    if (isRequired) return true;
    if (isPage && depth > 0 && PAGING.has(name)) return false;
    return random.chance(15);
  });
  const texts = given.map((argument) => `${argument.name}: ${argumentText(argument, writing)}`);
  if (isPage && depth > 0) texts.push(`first: ${String(random.between(0, 2))}`);
  return texts.length > 0 ? `(${texts.join(', ')})` : '';
}

function argumentText({ name, type, shape }: GraphArgument, writing: Writing): string {
  const { random, declared, variables } = writing;
  const value = valueFor(name, shape, '', writing);
  if (random.chance(30)) return literalOf(value, shape);
  const variable = `v${String(declared.length)}`;
  declared.push(`$${variable}: ${type}`);
  variables[variable] = value;
  return `$${variable}`;
}

/** A value as it stands in a document: where the shape is an enum, texts are names. */
function literalOf(value: unknown, shape: Shape): string {
  if (Array.isArray(value)) {
    const entry = shape.kind === 'list' ? shape.of : shape;
    return `[${value.map((one) => literalOf(one, entry)).join(', ')}]`;
  }
  if (isObject(value)) {
    const members = shape.kind === 'object' ? shape.members() : [];
    const texts = Object.entries(value).map(([name, member]) => {
      const declared = members.find((one) => one.name === name);
      return `${nameOf(name)}: ${literalOf(member, declared?.shape ?? { kind: 'any' })}`;
    });
    return `{${texts.join(', ')}}`;
  }
  return shape.kind === 'enum' ? nameOf(String(value)) : JSON.stringify(value);
}

const nameOf = (text: string): string => text.replace(/\W/g, '_').replace(/^(?=\d|$)/, '_');

const DEEPEST = 4;
const ALWAYS = new Set(['id', 'nodes', 'totalCount']);

/** Some fields of a type: the deeper, the fewer that have fields themselves. */
function selectionOf(type: GraphQLNamedType, writing: Writing, depth: number): string {
  const { random } = writing;
  const fields = fieldsOf(type);
  if (fields.length === 0) return '{ __typename }';
  const chanceOf = ({ name, type: below }: GraphField): number => {
    if (ALWAYS.has(name)) return 90;
    if (!isComposite(below)) return 20;
    return depth >= DEEPEST ? 0 : ([20, 8, 4, 2][depth] ?? 0);
  };
  const chosen = fields.filter((field) => random.chance(chanceOf(field)));
  const texts = chosen
    // What needs more than a page is asked for at the top only.
    .filter(({ args }) => depth === 0 || args.every(({ isRequired }) => !isRequired))
    .map((field) => fieldText(field, writing, depth + 1));
  return `{ ${[...texts, ...random.some(['__typename'], 10)].join(' ') || '__typename'} }`;
}
