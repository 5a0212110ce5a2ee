declare const value: unique symbol;

/** A declaration, with the type that its values have in the program. */
export interface Typed<T> {
  readonly [value]?: T;
}

/** The type of the values of a declaration: `ValueOf<typeof DECLARATION>`. */
export type ValueOf<D> = D extends { readonly [value]?: infer T } ? Exclude<T, undefined> : never;
