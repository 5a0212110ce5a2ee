import { changedFields } from '../../data/changes/index.js';
import {
  attribute,
  int,
  json,
  objects,
  oneOf,
  reference,
  text,
  time,
} from '../../kernel/declare/attribute.js';
import { computeFrom } from '../../kernel/declare/compute-from.js';
import type { RequestContext } from '../../kernel/request/context.js';
import { CHANGE_PLACE } from '../../base/change-place.js';
import { invalidField } from '../../base/errors.js';
import { instantOrDayOf } from '../../base/instant.js';
import { resource } from '../../kernel/declare/resource.js';
import type { Computed } from '../../kernel/declare/rows.js';
import { columnOfType } from '../../kernel/declare/table.js';
import type { JsonObject } from '../../base/row.js';
import { and, column, sql, type Sql } from '../../base/sql.js';
import { readableTypes } from './change-types.js';

/** One member of an entity that a change altered. */
export class ChangedField {
  @attribute(text(), { description: 'Name of the member.' })
  name!: string;

  @attribute(json(), { description: 'The value before.', nullable: true })
  before!: unknown;

  @attribute(json(), { description: 'The value after.', nullable: true })
  after!: unknown;
}

const fields = computeFrom<'Change'>()(['before', 'after'], (rows) =>
  rows.map(({ before, after }) => changedFields(before, after)),
);

/** No late commit can come before a visible change, so the last visible id is a place to resume from. */
function settledAndReadable(ctx: RequestContext, alias: string): Sql {
  const settled = sql`${column(alias, 'id')} < (select change_horizon())`;
  const types = readableTypes(ctx);
  return types
    ? and(settled, sql`${column(alias, 'entity_type')} = any(${[...types]}::text[])`)
    : settled;
}

const PLACE = /^[0-9a-f]{36}$/;

/** Restricts the list to changes after a change or a time. */
function since({ since: sinceArgument }: JsonObject, alias: string): Sql {
  const place = String(sinceArgument);
  if (PLACE.test(place)) {
    return sql`((select change_is_kept(${place}::text)) and ${column(alias, 'id')} > ${place}::text)`;
  }
  const at = instantOrDayOf(place);
  if (Number.isNaN(at.getTime())) {
    throw invalidField('since', 'neither the id of a change nor a time', sinceArgument);
  }
  return sql`((select change_is_kept_since(${at}::timestamptz)) and ${column(alias, 'at')} > ${at}::timestamptz)`;
}

const nullable = { write: 'never', nullable: true, filter: true } as const;

@resource({
  description: 'A change of the network in the change log.',
  plural: 'Changes',
  path: 'changes',
  permission: 'change',
  grants: ['read'],
  unique: [['id']],
  verbs: [],
  unlogged: true,
  isRecord: true,
  within: settledAndReadable,
  storage: {
    key: ['seq'],
    columns: {
      seq: columnOfType('counter'),
      epoch: columnOfType('integer'),
      xid: columnOfType('bigint', { default: { sql: 'pg_current_xact_id()::text::bigint' } }),
      entityType: columnOfType('text'),
    },
    indexes: [{ on: ['entityType', 'entityId'] }],
  },
  listArguments: [
    {
      name: 'since',
      description:
        'Only changes after it: the id of a change, or a time; HISTORY_NOT_KEPT when the log does not go back so far.',
      isList: false,
      predicate: since,
    },
  ],
})
export class Change {
  @attribute(text(), {
    description: 'Its place in the log, in which ids are ordered as texts.',
    write: 'never',
    filter: true,
    column: { generated: CHANGE_PLACE },
  })
  id!: string;

  @attribute(time(), {
    description: 'Time of the change, by the clock of the controller that wrote it.',
    write: 'never',
    filter: true,
    column: { index: 'btree' },
  })
  at!: Date;

  @attribute(text(), {
    description: 'The kind of entity: the name of its type in the graph.',
    write: 'never',
    filter: true,
    sql: (alias) => column(alias, 'entity_type'),
  })
  type!: Computed<string>;

  @attribute(text(), {
    description: 'Id of the entity that was changed.',
    write: 'never',
    filter: true,
  })
  entityId!: string;

  @attribute(text(), {
    ...nullable,
    description: 'Its name after the change, of a deleted one its last name; null if it has none.',
    sql: (alias) =>
      sql`coalesce(${column(alias, 'after')} ->> 'name', ${column(alias, 'before')} ->> 'name')`,
  })
  entityName!: Computed<string | null>;

  @attribute(
    oneOf('ChangeOperation', {
      create: 'The entity is new.',
      update: 'The entity was changed, by PUT, PATCH or an action.',
      delete: 'The entity is gone.',
    }),
    {
      description: 'The operation on the entity.',
      write: 'never',
      filter: true,
    },
  )
  operation!: 'create' | 'update' | 'delete';

  @attribute(int(), {
    description: 'Revision of the entity after the change.',
    write: 'never',
    filter: true,
    column: { default: null },
  })
  revision!: number;

  @attribute(reference('Identity', { as: 'actor', onDelete: 'keep' }), {
    ...nullable,
    description: 'Id of the identity that caused it; null for the controller itself.',
  })
  actorId!: string | null;

  @attribute(text(), {
    ...nullable,
    description:
      'Tells API sessions apart: the first 20 hex characters of the SHA-256 of the id of the one that caused it.',
  })
  apiSessionId!: string | null;

  @attribute(text(), { ...nullable, description: 'Address that the request came from.' })
  address!: string | null;

  @attribute(text(), { ...nullable, description: 'Id of the request; errors contain it, too.' })
  requestId!: string | null;

  @attribute(text(), { ...nullable, description: 'Id of the import that it is part of.' })
  importId!: string | null;

  @attribute(text(), {
    ...nullable,
    description:
      'The reason that the caller gave: for violating an access rule, or for `applyChanges`.',
  })
  reason!: string | null;

  @attribute(json(), {
    description: 'The entity before, without secrets; null for a new one.',
    write: 'never',
    nullable: true,
  })
  before!: JsonObject | null;

  @attribute(json(), {
    description: 'The entity after, without secrets; null for a deleted one.',
    write: 'never',
    nullable: true,
  })
  after!: JsonObject | null;

  @attribute(objects(() => ChangedField), {
    description: 'The members that differ.',
    write: 'never',
    compute: fields,
  })
  fields!: Computed<ChangedField[]>;
}
