/** A role with its display text. */
export interface RoleDisplay {
  readonly role: string;
  readonly name: string;
}

/**
 * The roles in their order, `@id` with the current name of the entity. Unknown ids, for which
 * `nameOf` gives undefined, are left out.
 */
export function rolesDisplay(
  roles: readonly string[],
  nameOf: (id: string) => string | undefined,
): RoleDisplay[] {
  return roles.flatMap((role) => {
    if (!role.startsWith('@')) return [{ role, name: role }];
    const name = nameOf(role.slice(1));
    return name === undefined ? [] : [{ role, name: `@${name}` }];
  });
}
