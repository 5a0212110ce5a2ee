import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { isObjectType, Kind, parse, type FieldNode, type GraphQLObjectType } from 'graphql';
import { permissionOf } from '../../src/kernel/graph/needs.js';
import { type RestRow } from '../../rest-compat/index.js';
import { InProcess } from '../support/in-process.js';
import {
  ENTITIES,
  listing,
  OPERATIONS,
  ROLE_ATTRIBUTES,
  show,
  writing,
  WITH_THE_ANSWER,
} from './permission-table.js';
import { allRestRows } from '../support/graph.js';

const REST_ROWS = await allRestRows();

let controller: InProcess;

beforeAll(async () => {
  controller = await InProcess.start();
});
afterAll(() => controller.stop());

const sorted = (entries: Iterable<readonly [string, string | undefined]>): object =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

describe('the permission table', () => {
  test('names every resource', () => {
    expect(Object.keys(ENTITIES)).toStrictEqual(
      [...controller.catalog.all()].map((r) => r.name).sort(),
    );
  });

  test('is what queries and mutations declare', () => {
    const { schema, catalog } = controller;
    const declared = [schema.getQueryType(), schema.getMutationType()].flatMap((root) =>
      Object.values(root?.getFields() ?? {}).map(
        (field) => [field.name, show(permissionOf(field))] as const,
      ),
    );
    const derived = [...catalog.all()].flatMap(({ name, list, single, verbs }) => [
      [list, listing(name)] as const,
      [single, `~ ${String(ENTITIES[name])}.read`] as const,
      ...[...verbs].map(
        (verb) => [`${verb}${name}`, writing(name, verb === 'replace' ? 'update' : verb)] as const,
      ),
    ]);
    const others = [ROLE_ATTRIBUTES, OPERATIONS].flatMap(Object.entries<string>);
    expect(sorted(declared)).toStrictEqual(sorted([...derived, ...others]));
  });

  test('is what relations and references to resources declare: that of what they show', () => {
    const { schema, catalog } = controller;
    const faults: string[] = [];
    let seen = 0;
    for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
      const isRoot = type === schema.getQueryType() || type === schema.getMutationType();
      if (isRoot || /(Connection|Edge)$/.test(type.name)) continue;
      for (const field of Object.values(type.getFields())) {
        const shown = field.type.toString().replace(/[[\]!]|Connection!?$/g, '');
        if (!catalog.find(shown)) continue;
        seen += 1;
        const name = `${type.name}.${field.name}`;
        const [declared, wanted] = [
          show(permissionOf(field)),
          WITH_THE_ANSWER[name] ?? listing(shown),
        ];
        if (declared !== wanted) faults.push(`${name}: ${String(declared)}, not ${wanted}`);
      }
    }
    expect(faults).toStrictEqual([]);
    expect(seen).toBeGreaterThan(45);
  });
});

describe('REST rows', () => {
  /** The fields that a row's document asks of the root and, of a relation row, below it. */
  function path(row: RestRow): FieldNode[] {
    const [operation] = parse(row.document).definitions;
    const found: FieldNode[] = [];
    let set = operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet : undefined;
    while (set) {
      const [field] = set.selections;
      if (field?.kind !== Kind.FIELD) break;
      found.push(field);
      set = set.selections.length === 1 ? field.selectionSet : undefined;
    }
    return found;
  }

  /** What the graph asks for the operation behind a row: that of the relation, else of the root. */
  function asked(row: RestRow): string {
    const { schema } = controller;
    const roots = [schema.getQueryType(), schema.getMutationType()];
    const [root, below] = path(row);
    const rootField = roots.flatMap((r) => r?.getFields()[root?.name.value ?? ''] ?? [])[0];
    const type = schema.getType(rootField?.type.toString().replace(/!/g, '') ?? '');
    const relation =
      below && (type as GraphQLObjectType | undefined)?.getFields()[below.name.value];
    const permission =
      (relation && permissionOf(relation)) ?? (rootField && permissionOf(rootField));
    return String(show(permission));
  }

  /** Rows that ask for more than their operation, with the reason. */
  const STRICTER: Readonly<Record<string, string>> = {
    // Refused whoever asks, for administrators by another error.
    'GET /cluster/list-members': 'admin',
    'POST /cluster/add-member': 'admin',
    'POST /cluster/remove-member': 'admin',
    'POST /cluster/transfer-leadership': 'admin',
    // The kind of attribute, an argument of the operation, decides.
    'GET /edge-router-role-attribute-usage': 'router.read',
    'GET /edge-router-role-attributes': 'router.read',
    'GET /edge-router-role-attributes/usage': 'router.read',
    'GET /identity-role-attribute-usage': 'identity.read',
    'GET /identity-role-attributes': 'identity.read',
    'GET /identity-role-attributes/usage': 'identity.read',
    'GET /posture-check-role-attribute-usage': 'posture-check.read',
    'GET /posture-check-role-attributes': 'posture-check.read',
    'GET /posture-check-role-attributes/usage': 'posture-check.read',
    'GET /service-role-attribute-usage': 'service.read',
    'GET /service-role-attributes': 'service.read',
    'GET /service-role-attributes/usage': 'service.read',
  };

  /** Writes that clients of services have on their interface: for administrators alone. */
  const isClientWrite = ({ on, method }: RestRow, graph: string): boolean =>
    on.every((one) => one === 'client') && method !== 'GET' && graph.startsWith('service.');

  test('ask for the permission of their operation, without exception for what is own', () => {
    const faults = REST_ROWS.flatMap((row) => {
      const name = `${row.method} ${row.path}`;
      const declared = show(row.permission);
      const graph = asked(row);
      const expected = isClientWrite(row, graph)
        ? 'admin'
        : (STRICTER[name] ?? graph.replace(/^~ /, ''));
      // On the client interface, sessions see what is theirs.
      const isOwn =
        !row.on.includes('management') && graph.startsWith('~ ') && declared === 'session';
      const isCurrent = graph.startsWith('~ ') && row.document.includes('result: current');
      return declared === expected || isOwn || (isCurrent && declared === 'session')
        ? []
        : [`${name}: ${String(declared)}, not ${expected}`];
    });
    expect(faults).toStrictEqual([]);
  });
});
