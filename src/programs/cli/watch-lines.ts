import { endsOf } from './grant-tables.js';
import { counted, plain, quoted } from './plain.js';
import type { Gained } from './simulation-answer.js';

/** Events of the change log, a line each. */

type Entity = { readonly name?: unknown } | null;

export interface Change {
  readonly id: string;
  readonly at: string;
  readonly type: string;
  readonly operation: string;
  readonly entityId: string;
  readonly before: Entity;
  readonly after: Entity;
  readonly actorId: string | null;
  readonly actor: { readonly name: string } | null;
  readonly reason: string | null;
  readonly fields?: readonly { readonly name: string }[];
}

export interface AccessChange {
  readonly changeId: string;
  readonly at: string;
  readonly gainedCount: number;
  readonly gained: readonly Gained[];
  readonly lostCount: number;
  readonly lost: readonly Gained[];
  readonly change: Change;
}

export function changeLine(change: Change): string {
  const fields = (change.fields ?? []).map(({ name }) => plain(name)).join(', ');
  return `${told(change)}${change.operation === 'update' && fields !== '' ? `: ${fields}` : ''}`;
}

export function accessLine(event: AccessChange): string {
  const sides = [
    side('gained', event.gained, event.gainedCount),
    side('lost', event.lost, event.lostCount),
  ];
  return `${told(event.change)}: ${sides.filter((text) => text !== '').join('; ')}`;
}

/** When, where in the log, and who did what with which entity. */
function told({
  id,
  at,
  type,
  operation,
  entityId,
  before,
  after,
  actor,
  actorId,
}: Change): string {
  const name = after?.name ?? before?.name;
  const entity = typeof name === 'string' ? quoted(name) : entityId;
  const who = actor ? quoted(actor.name) : (actorId ?? 'the controller');
  return `${at}  ${id}  ${operation} ${type} ${entity} by ${who}`;
}

const MAX_PAIRS = 3;

/** `gained 4: ada Dial wiki, bob Dial wiki, eve Dial wiki and 1 more` */
function side(what: string, pairs: readonly Gained[], count: number): string {
  if (count === 0) return '';
  const shown = pairs.slice(0, MAX_PAIRS).map((pair) => endsOf(pair).join(' '));
  const more = count > shown.length ? ` and ${counted(count - shown.length, 'more', 'more')}` : '';
  return `${what} ${String(count)}: ${shown.join(', ')}${more}`;
}
