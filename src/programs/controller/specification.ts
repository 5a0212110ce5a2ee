import type { InterfaceSpec } from '../../graph/index.js';

/** The description of a REST interface. Its document is made at the first request: few ask for it. */
export class Specification implements InterfaceSpec {
  #document: object | undefined;

  constructor(
    readonly id: string,
    private readonly describe: () => object,
  ) {}

  get name(): string {
    return this.id;
  }

  get document(): object {
    return (this.#document ??= this.describe());
  }
}
