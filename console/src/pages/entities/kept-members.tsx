import type { Kind } from '../../description/description.js';
import type { Row } from '../../description/documents.js';
import { keptMembers } from '../../description/kept-entities.js';
import { wordsOf } from '../../description/names.js';
import { EntityLink } from '../../parts/entity-link.js';
import { texts } from '../../texts.js';

/** Says which members of an entity its form does not have, and names the entity that changes them. */
export function KeptMembers({ kind, entity }: { kind: Kind; entity: Row }) {
  const members = keptMembers(kind, entity).map((name) => wordsOf(name).toLowerCase());
  if (members.length === 0) return null;
  const { type = '' } = kind.keptWith ?? {};
  return (
    <div className="notice">
      {texts.form.kept(members.join(', '))}{' '}
      <EntityLink type={type} id={entity.id} name={wordsOf(type).toLowerCase()} />.
    </div>
  );
}
