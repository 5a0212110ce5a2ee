import type { Row } from '../../../src/base/row.js';
import type { Answer, TestController } from '../../support/controller.js';

let count = 0;
export const unique = (name: string): string => `${name}-${String((count += 1))}`;

export interface Report {
  readonly identityId: string;
  readonly externalId: string | null;
  readonly attributes: readonly string[];
  readonly until: string | null;
  readonly reason: string | null;
}

export interface Body {
  readonly data: Report;
  readonly error: { readonly code: string; readonly cause?: Row };
}

/** A device management system with a directory of its own. */
export class Reporter {
  private constructor(
    readonly controller: TestController,
    readonly directoryId: string,
    readonly prefix: string,
    readonly token: string,
  ) {}

  static async start(controller: TestController): Promise<Reporter> {
    const name = unique('management');
    const prefix = `${name}:`;
    const directory = { name, roleAttributePrefix: prefix, kind: 'deviceManagement' };
    const id = await controller.create('directories', directory);
    const { body } = await controller.rest('POST', `/directories/${id}/tokens`, {});
    return new Reporter(controller, id, prefix, (body.data as { token: string }).token);
  }

  /** Sends a request to the interface for devices. */
  call(method: string, path: string, body?: unknown, token = this.token): Promise<Answer<Body>> {
    return this.controller.send<Body>(method, `/devices/v1${path}`, {
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${token}` },
    });
  }

  report(identityId: string, body: Row): Promise<Answer<Body>> {
    return this.call('PUT', `/identities/${identityId}`, body);
  }
}

export interface Assignment {
  readonly roleAttribute: string;
  readonly source: string;
  readonly state: string;
  readonly activeUntil: string | null;
  readonly reason: string | null;
}

/** The role attributes of an identity that come from sources, with their assignments. */
export async function assignedTo(
  controller: TestController,
  id: string,
): Promise<{ attributes: readonly string[]; assignments: readonly Assignment[] }> {
  const { data } = await controller.graphql(
    `query ($id: ID!) { identity(id: $id) { assignedRoleAttributes
      roleAssignments { nodes { roleAttribute source state activeUntil reason } } } }`,
    { id },
  );
  const { identity } = data as {
    identity: {
      assignedRoleAttributes: readonly string[];
      roleAssignments: { nodes: readonly Assignment[] };
    };
  };
  return {
    attributes: identity.assignedRoleAttributes,
    assignments: identity.roleAssignments.nodes,
  };
}

export const newIdentity = (controller: TestController, input: Row = {}): Promise<string> =>
  controller.create('identities', {
    name: unique('device'),
    type: 'Default',
    isAdmin: false,
    ...input,
  });

const HOUR = 3_600_000;

/** A time so many hours ahead, without milliseconds. */
export const hoursAhead = (hours: number): string =>
  new Date(Math.ceil(Date.now() / 1_000) * 1_000 + hours * HOUR).toISOString();
