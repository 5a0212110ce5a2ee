import { attribute, objects, text, type AttributeOptions } from '../../kernel/declare/attribute.js';
import type { Write } from '../../kernel/declare/resource.js';
import { attributeOf, setAttribute } from '../../kernel/declare/rows.js';
import { snakeCase } from '../../base/names.js';
import { textsOf } from '../../base/row.js';
import { column, raw, sql, type Sql } from '../../base/sql.js';
import { normaliseRoles } from '../../kernel/policy/index.js';

/** The common attributes of the three kinds of policies. */

export const semanticOptions: AttributeOptions = {
  description:
    'Whether an entity needs all `#` entries of a role list or any. `@` entries always count.',
  required: true,
  filter: true,
};

/** A role with the name it stands for. */
export class NamedRole {
  @attribute(text(), { description: 'The entry of the role list.', required: true })
  role!: string;

  @attribute(text(), {
    description: '`@` and the name of the entity, or the role itself.',
    required: true,
  })
  name!: string;
}

/** `identityRolesDisplay`: the entries with names, without entities that no longer exist. */
export const rolesDisplay = (rolesName: string, table: string) =>
  attribute(
    objects(() => NamedRole),
    {
      description: `The entries of \`${rolesName}\` with the names that they stand for.`,
      write: 'never',
      sql: (alias) => displaySql(column(alias, snakeCase(rolesName)), table),
    },
  );

const displaySql = (roles: Sql, table: string): Sql =>
  sql`(select coalesce(json_agg(json_build_object('role', u.role, 'name', coalesce('@' || n.name, u.role)) order by u.place), '[]'::json)
    from unnest(${roles}) with ordinality u(role, place)
    left join ${raw(`"${table}"`)} n on u.role like '@%' and n.id = substr(u.role, 2)
    where u.role like '#%' or n.id is not null)`;

/** Normalises every role list in the values. */
export function normaliseRoleLists({ values }: Write): void {
  for (const name of Object.keys(values)) {
    if (!name.endsWith('Roles')) continue;
    setAttribute(values, name, normaliseRoles(name, textsOf(attributeOf(values, name))));
  }
}
