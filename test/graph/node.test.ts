import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { GraphQLObjectType } from 'graphql';
import { callerOf, InProcess } from '../support/in-process.js';

let controller: InProcess;
let identity: string;
let service: string;

beforeAll(async () => {
  controller = await InProcess.start();
  identity = await controller.create('Identity', { name: 'ada', type: 'Default', isAdmin: false });
  service = await controller.create('Service', { name: 'wiki', encryptionRequired: true });
});
afterAll(() => controller.stop());

const globalId = (type: string, id: string): string =>
  Buffer.from(`${type}:${id}`).toString('base64url');

const NODE = `query ($id: ID!) { node(id: $id) {
  __typename nodeId
  ... on Identity { id name type { id } services { totalCount } }
  ... on Service { id name strategy: terminatorStrategy }
} }`;

describe('node', () => {
  test('every resource implements Node', () => {
    const types = [...controller.catalog.all()].map((r) => controller.schema.getType(r.name));
    expect(
      types.map((t) => (t as GraphQLObjectType).getInterfaces().map((i) => i.name)),
    ).toStrictEqual(types.map(() => ['Node']));
  });

  test('nodeId is the type and the id in base64url', async () => {
    await expect(
      controller.read('query ($id: ID!) { identity(id: $id) { nodeId } }', { id: identity }),
    ).resolves.toStrictEqual({ identity: { nodeId: globalId('Identity', identity) } });
  });

  // A text that comes again is compiled, and reads of two types share its columns by mistake easily.
  test('one document reads entities of several types, plainly and compiled', async () => {
    for (let round = 0; round < 3; round += 1) {
      await expect(
        controller.read(NODE, { id: globalId('Identity', identity) }),
      ).resolves.toStrictEqual({
        node: {
          __typename: 'Identity',
          nodeId: globalId('Identity', identity),
          id: identity,
          name: 'ada',
          type: { id: 'Default' },
          services: { totalCount: 0 },
        },
      });
      await expect(
        controller.read(NODE, { id: globalId('Service', service) }),
      ).resolves.toStrictEqual({
        node: {
          __typename: 'Service',
          nodeId: globalId('Service', service),
          id: service,
          name: 'wiki',
          strategy: 'smartrouting',
        },
      });
    }
  });

  test.each([
    ['an unknown id', globalId('Identity', 'nobody'), 'NOT_FOUND'],
    ['an id of another type', globalId('Service', 'ada'), 'NOT_FOUND'],
    ['an unknown type', globalId('Nonsense', 'x'), 'COULD_NOT_VALIDATE'],
    ['a raw id', 'x', 'COULD_NOT_VALIDATE'],
    ['nothing', '', 'COULD_NOT_VALIDATE'],
  ])('%s is refused', async (_, id, code) => {
    const { data, errors } = await controller.graph(NODE, { id });
    expect(data).toStrictEqual({ node: null });
    expect(errors.map((e) => e?.code)).toStrictEqual([code]);
  });

  test('the permission of the type counts', async () => {
    const self = controller.ctx(callerOf(identity));
    const own = await controller.graph(NODE, { id: globalId('Identity', identity) }, self);
    expect(own.data?.node).toMatchObject({ name: 'ada' });
    const hidden = await controller.graph(NODE, { id: globalId('Service', service) }, self);
    expect(hidden.errors.map((e) => e?.code)).toStrictEqual(['NOT_FOUND']);
    const policy = await controller.graph(NODE, { id: globalId('AuthPolicy', 'default') }, self);
    expect(policy.errors.map((e) => e?.code)).toStrictEqual(['UNAUTHORIZED']);
    const nobody = await controller.graph(
      NODE,
      { id: globalId('Identity', identity) },
      controller.anonymous(),
    );
    expect(nobody.errors.map((e) => e?.code)).toStrictEqual(['UNAUTHORIZED']);
  });
});
