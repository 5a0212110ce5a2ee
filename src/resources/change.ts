import { changedFields } from '../changes/index.js';
import {
  attribute,
  int,
  json,
  objects,
  oneOf,
  reference,
  text,
  time,
} from '../kernel/declare/attribute.js';
import { computeFrom } from '../kernel/declare/compute-from.js';
import type { RequestContext } from '../kernel/request/context.js';
import { CHANGE_PLACE } from '../base/change-place.js';
import { invalidField } from '../base/errors.js';
import { resource } from '../kernel/declare/resource.js';
import type { Computed } from '../kernel/declare/rows.js';
import { columnOfType } from '../kernel/declare/table.js';
import type { JsonObject } from '../base/row.js';
import { and, column, sql, type Sql } from '../base/sql.js';
import { readableTypes } from './change-types.js';

/** One member of an entity that a change altered. */
class ChangedField {
  @attribute(text(), { description: 'Name of the member.' })
  name!: string;

  @attribute(json(), { description: 'What it was.', nullable: true })
  before!: unknown;

  @attribute(json(), { description: 'What it has become.', nullable: true })
  after!: unknown;
}

const fields = computeFrom<'Change'>()(['before', 'after'], (rows) =>
  rows.map(({ before, after }) => changedFields(before, after)),
);

/** No late commit can get before what is shown, so that its last id is a place to go on from. */
function settledAndReadable(ctx: RequestContext, alias: string): Sql {
  const settled = sql`${column(alias, 'id')} < (select change_horizon())`;
  const types = readableTypes(ctx);
  return types
    ? and(settled, sql`${column(alias, 'entity_type')} = any(${[...types]}::text[])`)
    : settled;
}

const PLACE = /^[0-9a-f]{36}$/;

/** What follows a change, or an instant. */
function since({ since: given }: JsonObject, alias: string): Sql {
  const place = String(given);
  if (PLACE.test(place)) {
    return sql`((select change_is_kept(${place}::text)) and ${column(alias, 'id')} > ${place}::text)`;
  }
  const at = /^\d{4}-/.test(place) ? new Date(place) : new Date(Number.NaN);
  if (Number.isNaN(at.getTime())) {
    throw invalidField('since', 'neither the id of a change nor a time', given);
  }
  return sql`((select change_is_kept_since(${at}::timestamptz)) and ${column(alias, 'at')} > ${at}::timestamptz)`;
}

const nullable = { write: 'never', nullable: true, filter: true } as const;

@resource({
  description: 'A change of the network, as the log of it has it.',
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
        'Only what follows it: the id of a change, or a time; HISTORY_NOT_KEPT when the log does not go back so far.',
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
    description: 'When, by the clock of the controller that wrote it.',
    write: 'never',
    filter: true,
    column: { index: 'btree' },
  })
  at!: Date;

  @attribute(text(), {
    description: 'What kind of entity was changed: the name of its type on the graph.',
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

  @attribute(
    oneOf('ChangeOperation', {
      create: 'The entity is new.',
      update: 'The entity was changed, by PUT, PATCH or an action.',
      delete: 'The entity is gone.',
    }),
    {
      description: 'What was done with it.',
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
    description: 'Id of the identity that caused it; null when the controller did by itself.',
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

  @attribute(text(), { ...nullable, description: 'Id of the request, as errors show it.' })
  requestId!: string | null;

  @attribute(text(), { ...nullable, description: 'Id of the import that it is part of.' })
  importId!: string | null;

  @attribute(text(), {
    ...nullable,
    description: 'Why it may violate an access rule, as the caller said.',
  })
  reason!: string | null;

  @attribute(json(), {
    description: 'The entity before, without secrets; null of a new one.',
    write: 'never',
    nullable: true,
  })
  before!: JsonObject | null;

  @attribute(json(), {
    description: 'The entity after, without secrets; null of a deleted one.',
    write: 'never',
    nullable: true,
  })
  after!: JsonObject | null;

  @attribute(objects(() => ChangedField), {
    description: 'What differs, member by member.',
    write: 'never',
    compute: fields,
  })
  fields!: Computed<ChangedField[]>;
}
