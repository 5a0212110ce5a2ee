import { wordsOf } from '../description/names.js';
import { AnyValue } from './value.js';

interface OtherMembersProps<T extends object> {
  readonly values: T;
  /** The members that have a place of their own. */
  readonly shown: readonly (keyof T & string)[];
}

/** All other members of an answer: a new member is on the page without a change of the page. */
export function OtherMembers<T extends object>({ values, shown }: OtherMembersProps<T>) {
  const placed: readonly string[] = shown;
  const members: readonly (readonly [string, unknown])[] = Object.entries(values);
  const others = members.filter(([name]) => !placed.includes(name));
  if (others.length === 0) return null;
  return (
    <dl className="attributes inner">
      {others.map(([name, value]) => (
        <div key={name}>
          <dt>{wordsOf(name)}</dt>
          <dd>
            <AnyValue value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
