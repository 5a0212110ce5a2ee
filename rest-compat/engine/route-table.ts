/*
 * Own code, because `find-my-way` 9.10.1 decodes a path before it matches, and ends it at `#`:
 * `/%76ersion` would be a second spelling of `/version`, but not in the base paths, which are
 * matched as they were sent. It routes by method first, so 405 with `Allow` needs a table of
 * methods beside it, and NUL and the names of variables have to be checked beside it as well. Both
 * match a path of the management interface in about 0.3 microseconds.
 */

/** Routes by path segments; one level per segment, `{name}` matches any text. */
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
    let at = this.#root;
    for (const segment of segmentsOf(path)) at = step(at, segment);
    if (at.methods.has(method)) throw new Error(`${method} ${path} is declared twice`);
    at.methods.set(method, value);
  }

  /** Doubled and trailing slashes do not count. */
  match(path: string): Match<T> | undefined {
    const found: Record<string, string> = {};
    let at = this.#root;
    for (const segment of segmentsOf(path)) {
      const fixed = at.fixed.get(segment);
      if (fixed) at = fixed;
      else if (at.variable) {
        const decoded = decode(segment);
        if (decoded === undefined) return undefined;
        found[at.variable.name] = decoded;
        at = at.variable.node;
      } else return undefined;
    }
    return at.methods.size > 0 ? { methods: at.methods, path: found } : undefined;
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
