/** A role with the text people read instead of it. */
export interface RoleDisplay {
  readonly role: string;
  readonly name: string;
}

/**
 * The roles in their order, `@id` under the current name of the entity; ids of nobody are left out.
 * `nameOf` is undefined for them.
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
