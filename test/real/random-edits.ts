import { randomFrom, pick } from '../kill/random.js';
import type { TestController } from '../support/controller.js';

const ATTRIBUTES = ['a', 'b', 'c', 'd'];
const SIDES = {
  identityRoles: 'identities',
  serviceRoles: 'services',
  postureCheckRoles: 'posture-checks',
} as const;

type Path = (typeof SIDES)[keyof typeof SIDES] | 'service-policies';

/** Edits of the parts of access by REST, the same in each run. */
export class RandomEdits {
  readonly #ids: Record<Path, string[]> = {
    identities: [],
    services: [],
    'posture-checks': [],
    'service-policies': [],
  };
  readonly #random = randomFrom(20_261_128);
  #count = 0;

  private constructor(private readonly controller: TestController) {}

  static async begin(controller: TestController): Promise<RandomEdits> {
    const edits = new RandomEdits(controller);
    for (const path of Object.keys(edits.#ids) as Path[]) {
      for (let i = 0; i < 10; i += 1) await edits.create(path);
    }
    return edits;
  }

  /** Makes one change. */
  async next(): Promise<void> {
    const path = pick(this.#random, Object.keys(this.#ids) as Path[]);
    const ids = this.#ids[path];
    const id = ids.length > 0 ? pick(this.#random, ids) : undefined;
    const chance = this.#random();
    if (id === undefined || chance < 0.15) await this.create(path);
    else if (chance < 0.3) {
      await this.controller.rest('DELETE', `/${path}/${id}`);
      ids.splice(ids.indexOf(id), 1);
    } else {
      const typeId = path === 'posture-checks' ? { typeId: 'MFA' } : {};
      await this.controller.rest('PATCH', `/${path}/${id}`, { ...this.roles(path), ...typeId });
    }
  }

  private async create(path: Path): Promise<void> {
    const name = `${path} ${String((this.#count += 1))}`;
    const input = {
      identities: { type: 'Default', isAdmin: false },
      services: { encryptionRequired: true },
      'posture-checks': { typeId: 'MFA' },
      'service-policies': { type: pick(this.#random, ['Dial', 'Bind']), semantic: 'AnyOf' },
    }[path];
    this.#ids[path].push(
      await this.controller.create(path, { name, ...input, ...this.roles(path) }),
    );
  }

  private roles(path: Path): object {
    if (path !== 'service-policies') {
      return { roleAttributes: ATTRIBUTES.filter(() => this.#random() < 0.4) };
    }
    return Object.fromEntries(
      Object.entries(SIDES).map(([member, kind]) => [member, this.roleList(kind)]),
    );
  }

  private roleList(kind: Path): string[] {
    if (this.#random() < 0.1) return ['#all'];
    const named = ATTRIBUTES.filter(() => this.#random() < 0.4).map((name) => `#${name}`);
    const ids = this.#ids[kind].filter(() => this.#random() < 0.1).map((id) => `@${id}`);
    return [...named, ...ids];
  }
}
