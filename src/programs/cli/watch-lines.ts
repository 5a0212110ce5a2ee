import type {
  Change,
  Grant,
  WatchAccessResult,
  WatchChangesResult,
} from '../emitted/operations.js';
import { endsOf } from './grant-tables.js';
import { counted, plain, quoted } from './plain.js';
import { isObject } from '../../base/row.js';

/** Events of the change log, a line each. */

export function changeLine({ changes: change }: WatchChangesResult): string {
  const fields = change.fields.map(({ name }) => plain(name)).join(', ');
  return `${summary(change)}${change.operation === 'update' && fields !== '' ? `: ${fields}` : ''}`;
}

export function accessLine({ accessChanges: event }: WatchAccessResult): string {
  const sides = [
    side('gained', event.gained, event.gainedCount),
    side('lost', event.lost, event.lostCount),
  ];
  return `${summary(event.change)}: ${sides.filter((text) => text !== '').join('; ')}`;
}

/** When, where in the log, and who did what with which entity. */
function summary({
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
  const [name] = [after, before].flatMap((values) => (isObject(values) ? (values.name ?? []) : []));
  const entity = typeof name === 'string' ? quoted(name) : entityId;
  const who = actor ? quoted(actor.name) : (actorId ?? 'the controller');
  return `${at}  ${id}  ${operation} ${type} ${entity} by ${who}`;
}

const MAX_PAIRS = 3;

/** `gained 4: ada Dial wiki, bob Dial wiki, eve Dial wiki and 1 more` */
function side(what: string, pairs: readonly Grant[], count: number): string {
  if (count === 0) return '';
  const shown = pairs.slice(0, MAX_PAIRS).map((pair) => endsOf(pair).join(' '));
  const more = count > shown.length ? ` and ${counted(count - shown.length, 'more', 'more')}` : '';
  return `${what} ${String(count)}: ${shown.join(', ')}${more}`;
}
