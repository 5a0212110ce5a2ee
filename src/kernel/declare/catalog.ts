import type { Shape } from './attribute.js';
import type { ResourceName } from './rows.js';
import type { FilterSymbol, SymbolTable } from '../filter/index.js';
import { resourceOf, type Relation, type Resource } from './resource.js';
import { symbolsOf } from './symbols.js';

/** Every resource by the name of its class: `const { Identity } = catalog.resources`. */
type ResourcesByName = { readonly [N in ResourceName]: Resource<N> };

/** All resources by name. Targets of references and relations are names looked up here. */
export class Catalog {
  readonly resources: ResourcesByName;
  readonly #byName = new Map<string, Resource>();
  readonly #symbols = new Map<string, SymbolTable>();

  constructor(
    shapes: Readonly<Record<string, Shape>>,
    relations: ReadonlyMap<string, readonly Relation[]>,
  ) {
    for (const shape of Object.values(shapes)) {
      const resource = resourceOf(shape);
      this.#byName.set(resource.name, resource);
    }
    this.resources = Object.fromEntries(this.#byName) as ResourcesByName;
    for (const [name, added] of relations) {
      for (const relation of added) this.get(name).relations.set(relation.name, relation);
    }
    for (const resource of this.all()) {
      for (const { target } of [...resource.edges.values(), ...resource.relations.values()]) {
        this.get(target);
      }
      this.#symbols.set(resource.name, symbolsOf(resource, this));
    }
  }

  get(name: string): Resource {
    const resource = this.#byName.get(name);
    if (!resource) throw new Error(`no resource is called ${name}`);
    return resource;
  }

  find(name: string): Resource | undefined {
    return this.#byName.get(name);
  }

  all(): IterableIterator<Resource> {
    return this.#byName.values();
  }

  /** The resources that own their rows: a read-only view of another resource's table is left out. */
  stored(): Resource[] {
    const all = [...this.all()];
    return all.filter((r) => isWritten(r) || !all.some((o) => o.table === r.table && isWritten(o)));
  }

  /** The names that filters of a resource may use. */
  symbols(resource: Resource): SymbolTable {
    const table = this.#symbols.get(resource.name);
    if (!table) throw new Error(`${resource.name} is not in the catalog`);
    return table;
  }
}

declare module '../request/context.js' {
  interface RequestContext {
    readonly catalog: Catalog;
  }
}

const isWritten = ({ verbs }: Resource): boolean => verbs.size > 0;

export type { FilterSymbol };
