import type { Kind } from '../description/description.js';
import { labelOf } from '../description/fields.js';
import type { InputField } from '../description/inputs.js';
import { fieldOf, idIn } from '../draft/named-members.js';
import type { NamingOf } from './use-names.js';
import { AnyValue } from './value.js';
import { texts } from '../texts.js';

interface MemberValueProps {
  /** The type that the member belongs to. */
  readonly type: string;
  readonly member: string;
  readonly value: unknown;
  readonly namingOf: NamingOf;
}

/** The value of a member of a change; entities have their names. */
export function MemberValue({ type, member, value, namingOf }: MemberValueProps) {
  const field = fieldOf(type, member);
  const { kind } = field ?? {};
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!field || !kind || entries.length === 0 || !entries.every(isText)) {
    return <AnyValue value={value} />;
  }
  return (
    <span className="tags">
      {entries.map((entry) => (
        <Entry key={entry} field={field} kind={kind} entry={entry} namingOf={namingOf} />
      ))}
    </span>
  );
}

const isText = (entry: unknown): entry is string => typeof entry === 'string' && entry !== '';

interface EntryProps {
  readonly field: InputField;
  readonly kind: Kind;
  readonly entry: string;
  readonly namingOf: NamingOf;
}

function Entry({ field, kind, entry, namingOf }: EntryProps) {
  const id = idIn(field, entry);
  const naming = id === undefined ? undefined : namingOf({ type: kind.type, id });
  const isGone = naming?.is === 'gone';
  let text = isGone ? texts.select.gone(entry) : entry;
  if (naming?.is === 'named') {
    const { entity } = naming;
    text = field.control === 'roles' ? `@${String(entity.name)}` : labelOf(kind.type, entity);
  }
  return (
    <span
      className={isGone ? 'tag lost' : 'tag'}
      title={`${text}${text === entry ? '' : ` ${entry}`}`}
    >
      {text}
    </span>
  );
}
