import { Field, ID, InterfaceType, type ClassType } from 'type-graphql';
import type { SelectedEntity } from '../declare/rows.js';

/** What has an id that is unique over all types: every resource. */
export abstract class Node {
  declare readonly nodeId: string;
}
InterfaceType('Node', {
  description: 'An entity of any type, known by an id that is unique over all types.',
})(Node as unknown as ClassType);
Field(() => ID, { description: 'Id for the query `node`, unique over all types.' })(
  Node.prototype,
  'nodeId',
);

/** `Type:id` in base64url. */
export const nodeIdOf = (type: string, { id }: SelectedEntity): string =>
  Buffer.from(`${type}:${id}`).toString('base64url');

/** The type and the id that a global id stands for. */
export function parseNodeId(nodeId: string): { type: string; id: string } | undefined {
  const [, type, id] = /^(\w+):(.+)$/s.exec(Buffer.from(nodeId, 'base64url').toString()) ?? [];
  return type === undefined || id === undefined ? undefined : { type, id };
}
