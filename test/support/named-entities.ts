import type { Row } from '../../src/base/row.js';

/** Creates entities: a controller in the process of the test, or one behind REST. */
interface Creator {
  create(kind: string, input: Row): Promise<string>;
}

/** The creator's names of the kinds that have methods of their own here. */
interface Kinds {
  readonly person: string;
  readonly policy: string;
}

const GRAPH_KINDS: Kinds = { person: 'Identity', policy: 'ServicePolicy' };
export const REST_KINDS: Kinds = { person: 'identities', policy: 'service-policies' };

/** Entities of a test, known by their names. */
export class NamedEntities {
  readonly #ids = new Map<string, string>();

  /** The controller is there once the test has begun. */
  constructor(
    private readonly controller: () => Creator,
    private readonly kinds: Kinds = GRAPH_KINDS,
  ) {}

  readonly idOf = (name: string): string => this.#ids.get(name) ?? '';

  readonly nameOf = (id: unknown): string =>
    [...this.#ids].find(([, known]) => known === id)?.[0] ?? String(id);

  readonly make = async (kind: string, name: string, input: Row = {}): Promise<void> => {
    this.#ids.set(name, await this.controller().create(kind, { name, ...input }));
  };

  readonly person = (name: string, ...roleAttributes: string[]): Promise<void> =>
    this.make(this.kinds.person, name, { type: 'Default', isAdmin: false, roleAttributes });

  readonly policy = (
    name: string,
    identityRoles: string[],
    serviceRoles: string[],
    more: Row = {},
  ): Promise<void> =>
    this.make(this.kinds.policy, name, {
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles,
      serviceRoles,
      ...more,
    });
}
