import type { Row } from '../../../src/base/row.js';
import type { Answer, TestController } from '../../support/controller.js';

let count = 0;
export const unique = (name: string): string => `${name}-${String((count += 1))}`;

const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

export interface ShownIdentity {
  readonly id: string;
  readonly name: string;
  readonly disabled: boolean;
  readonly externalId: string | null;
  readonly roleAttributes: readonly string[];
  readonly assignedRoleAttributes: readonly string[];
}

/** An identity provider with a directory of its own, which speaks SCIM to a controller. */
export class Provider {
  private constructor(
    readonly controller: TestController,
    readonly directoryId: string,
    readonly prefix: string,
    readonly token: string,
  ) {}

  static async start(controller: TestController, settings: Row = {}): Promise<Provider> {
    const name = unique('directory');
    const prefix = `${name}:`;
    const directory = { name, roleAttributePrefix: prefix, ...settings };
    const id = await controller.create('directories', directory);
    const { body } = await controller.rest('POST', `/directories/${id}/tokens`, {});
    return new Provider(controller, id, prefix, (body.data as { token: string }).token);
  }

  /** Sends a request to the SCIM interface. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    token = this.token,
  ): Promise<Answer<Row>> {
    const answer = await this.controller.send<Row>(method, `/scim/v2${path}`, {
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
      },
    });
    return answer;
  }

  patch(path: string, ...operations: readonly Row[]): Promise<Answer<Row>> {
    return this.call('PATCH', path, { schemas: [PATCH_OP], Operations: operations });
  }

  /** Creates a user and gives its id. */
  async user(input: Row = {}): Promise<string> {
    const userName = `${unique('user')}@example.com`;
    const answer = await this.call('POST', '/Users', { userName, externalId: userName, ...input });
    if (answer.status !== 201) throw new Error(answer.text);
    return String(answer.body.id);
  }

  /** Creates a group and gives its id. */
  async group(displayName: string, memberIds: readonly string[] = []): Promise<string> {
    const members = memberIds.map((value) => ({ value }));
    const answer = await this.call('POST', '/Groups', { displayName, members });
    if (answer.status !== 201) throw new Error(answer.text);
    return String(answer.body.id);
  }

  async membersOf(groupId: string): Promise<readonly string[]> {
    const { body } = await this.call('GET', `/Groups/${groupId}`);
    return (body.members as { value: string }[]).map(({ value }) => value).sort();
  }

  /** The identity of a user, as administrators see it; undefined without one. */
  async identity(id: string): Promise<ShownIdentity | undefined> {
    const { data } = await this.controller.graphql(
      `query ($filter: String!) { identities(filter: $filter) { nodes {
        id name disabled externalId roleAttributes assignedRoleAttributes } } }`,
      { filter: `id = "${id}"` },
    );
    return (data as { identities: { nodes: ShownIdentity[] } }).identities.nodes[0];
  }
}
