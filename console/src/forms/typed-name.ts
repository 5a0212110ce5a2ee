/** A name in a list of roles, in the place of the role until the entity of this name is found. */
export class TypedName {
  constructor(
    /** As it was typed, with or without the `@` before it. */
    readonly text: string,
    /** Whether it was looked for in vain. */
    readonly isMissing = false,
  ) {}

  get name(): string {
    return this.text.replace(/^@/, '');
  }
}

/** An entry of a list of roles. */
export type RoleEntry = string | TypedName;

export const entriesOf = (value: unknown): readonly RoleEntry[] =>
  Array.isArray(value) ? (value as readonly RoleEntry[]) : [];

export const isTyped = (entry: RoleEntry): entry is TypedName => entry instanceof TypedName;
