import type { EntityClasses } from './entity-classes.js';
import type { NodeItems } from './node-items.js';

/** The nodes of a kind of entities. */
export interface ClassLayout {
  readonly classes: EntityClasses;
  /** Numbers of classes. */
  readonly nodes: readonly NodeItems[];
  /** The position of the node of each class; there are few nodes. */
  readonly nodeOf: Uint16Array;
}
