/** An entity whose own role is shown by its name. */
interface Named {
  readonly id: string;
  readonly name: string;
}

/** A role that names an entity has its id: `@id`. */
export const roleText = (role: string, { id, name }: Named): string =>
  role === `@${id}` ? `@${name}` : role;

interface MatchedRolesProps {
  readonly roles: readonly { readonly role: string }[];
  readonly entity: Named;
}

/** The roles of a policy that select the entity. */
export function MatchedRoles({ roles, entity }: MatchedRolesProps) {
  return (
    <span className="tags wrap">
      {roles.map(({ role }) => (
        <span key={role} className="tag" title={role}>
          {roleText(role, entity)}
        </span>
      ))}
    </span>
  );
}
