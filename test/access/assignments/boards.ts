import type { Row } from '../../../src/base/row.js';
import { InProcess, type GraphAnswer } from '../../support/in-process.js';
import { assigned } from './assigned.js';

/** A board that those on call reach, another for those at the desk, and people who start at the desk. */
export class Boards {
  #count = 0;

  private constructor(
    readonly controller: InProcess,
    /** The ids of the boards, by the attribute that reaches them. */
    readonly boards: ReadonlyMap<string, string>,
  ) {}

  static async start(): Promise<Boards> {
    const controller = await InProcess.start();
    const boards = new Map<string, string>();
    for (const role of ['on-call', 'desk']) {
      const name = `${role} board`;
      const board = await controller.create('Service', { name, encryptionRequired: true });
      boards.set(role, board);
      await controller.create('ServicePolicy', {
        name: role,
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: [`#${role}`],
        serviceRoles: [`@${board}`],
      });
    }
    return new Boards(controller, boards);
  }

  newIdentity(input: Row = {}): Promise<string> {
    this.#count += 1;
    return this.controller.create('Identity', {
      name: `person ${String(this.#count)}`,
      type: 'Default',
      isAdmin: false,
      roleAttributes: ['desk'],
      ...input,
    });
  }

  /** Changes an assignment. */
  update(id: string, input: Row): Promise<GraphAnswer> {
    return this.controller.graph(
      `mutation ($id: ID!, $input: UpdateRoleAssignmentInput!) {
        changed: updateRoleAssignment(id: $id, input: $input) { state } }`,
      { id, input },
    );
  }

  onCall(identityId: string, input: Row = {}): Promise<string> {
    return assigned(this.controller, { identityId, roleAttribute: 'on-call', ...input });
  }
}
