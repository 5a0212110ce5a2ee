import type { Row } from '../../src/base/row.js';
import type { InProcess } from '../support/in-process.js';

/** Entities of a test, made through the graph and known by their names. */
export class NamedEntities {
  readonly #ids = new Map<string, string>();

  /** The controller is there once the test has begun. */
  constructor(private readonly controller: () => InProcess) {}

  readonly idOf = (name: string): string => this.#ids.get(name) ?? '';

  readonly nameOf = (id: unknown): string =>
    [...this.#ids].find(([, known]) => known === id)?.[0] ?? String(id);

  readonly make = async (resource: string, name: string, input: Row = {}): Promise<void> => {
    this.#ids.set(name, await this.controller().create(resource, { name, ...input }));
  };

  readonly person = (name: string, ...roleAttributes: string[]): Promise<void> =>
    this.make('Identity', name, { type: 'Default', isAdmin: false, roleAttributes });

  readonly policy = (
    name: string,
    identityRoles: string[],
    serviceRoles: string[],
    more: Row = {},
  ): Promise<void> =>
    this.make('ServicePolicy', name, {
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles,
      serviceRoles,
      ...more,
    });
}
