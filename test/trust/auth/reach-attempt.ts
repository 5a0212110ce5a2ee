import type { Row } from '../../../src/base/row.js';
import type { ReachWorld } from './reach-world.js';

/** What an intruder can try, one operation each; refusals are no fault. */

/** What attempts need of a world. */
export type AttackedWorld = Pick<ReachWorld, 'ids' | 'keys' | 'name' | 'newcomer'> & {
  readonly intruder: Pick<ReachWorld['intruder'], 'ask'>;
};

export type Attempt = (world: AttackedWorld) => Promise<unknown>;

export const create =
  (type: string, input: (world: AttackedWorld) => Row, shown = 'id'): Attempt =>
  (world) =>
    world.intruder.ask(
      `mutation ($input: Create${type}Input!) { create${type}(input: $input) { ${shown} } }`,
      { input: input(world) },
    );

export const update =
  (
    type: string,
    id: (world: AttackedWorld) => string,
    input: (world: AttackedWorld) => Row,
  ): Attempt =>
  (world) =>
    world.intruder.ask(
      `mutation ($id: ID!, $input: Update${type}Input!) { update${type}(id: $id, input: $input) { id } }`,
      { id: id(world), input: input(world) },
    );

export const remove =
  (type: string, ...kinds: (keyof AttackedWorld['ids'])[]): Attempt =>
  async ({ intruder, ids }) => {
    for (const kind of kinds) {
      await intruder.ask(`mutation ($id: ID!) { delete${type}(id: $id) }`, { id: ids[kind] });
    }
  };

/** A mutation by id, of several things. */
export const each =
  (document: string, ...kinds: (keyof AttackedWorld['ids'])[]): Attempt =>
  async ({ intruder, ids }) => {
    for (const kind of kinds) await intruder.ask(document, { id: ids[kind] });
  };
