import { Pill, TagsInput } from '@mantine/core';
import { useState } from 'react';
import type { Kind } from '../description/description.js';
import type { EntityKey } from '../draft/bases.js';
import { useNames } from '../parts/use-names.js';
import { useOffered, useSearchedList } from '../parts/use-offered.js';
import { useMay } from '../graph/caller-context.js';
import { texts } from '../texts.js';
import { isTyped, TypedName, type RoleEntry } from './typed-name.js';
import { useAttributesInUse } from './use-attributes-in-use.js';

interface RolesFieldProps {
  /** The kind of the entities that the roles select. */
  readonly kind: Kind;
  readonly label: string;
  readonly description: string;
  readonly error: string | undefined;
  readonly isRequired: boolean;
  readonly entries: readonly RoleEntry[];
  /** Names of roles that are known: `@<id>` -> `@ada`. */
  readonly names: ReadonlyMap<string, string> | undefined;
  readonly change: (entries: readonly RoleEntry[]) => void;
}

/** Begins the tags of roles, which so differ from all that people type. */
const ROLE = '\u0000';

const tagOf = (entry: RoleEntry): string => (isTyped(entry) ? entry.text : `${ROLE}${entry}`);

/** Edits a list of roles: of entities by their names, and of attributes. */
export function RolesField({ kind, entries, names, error, change, ...shown }: RolesFieldProps) {
  const may = useMay();
  const mayRead = may('Query', kind.list);
  const { text, isOpen, setOpen, control } = useSearchedList();
  const { options, entryOf } = useOfferedRoles(kind, text, isOpen);
  const [chosen, setChosen] = useState<ReadonlyMap<string, string>>(names ?? new Map());
  const nameOf = useRoleNames(kind, entries, chosen, error !== undefined);
  const offered = options.filter(({ role }) => !entries.includes(role));

  /** The entry of a tag: a role, or what was typed. */
  const entryOfTag = (tag = ''): RoleEntry => {
    if (tag.startsWith(ROLE)) return tag.slice(ROLE.length);
    const typed = entries.find((entry) => isTyped(entry) && entry.text === tag);
    if (typed !== undefined) return typed;
    // Without the permission to look for names, people type ids.
    return mayRead ? entryOf(tag) : tag;
  };
  return (
    <TagsInput
      label={shown.label}
      description={shown.description}
      error={error}
      withAsterisk={shown.isRequired}
      value={entries.map(tagOf)}
      onChange={(tags) => {
        setChosen(new Map([...chosen, ...options.map(({ role, name }) => [role, name] as const)]));
        change([...new Set(tags.map(entryOfTag))]);
      }}
      // Names may hold commas, and differ in capital letters alone.
      splitChars={['\n']}
      isDuplicate={(tag, tags) => tags.includes(tag)}
      data={offered.map(({ role, name }) => ({ value: `${ROLE}${role}`, label: name }))}
      {...control}
      dropdownOpened={isOpen}
      onClick={() => {
        setOpen(true);
      }}
      onSearchChange={(next) => {
        control.onSearchChange(next);
        if (next !== '') setOpen(true);
      }}
      renderPill={({ value, onRemove }) => (
        <RolePill entry={entryOfTag(value)} nameOf={nameOf} remove={onRemove} />
      )}
    />
  );
}

interface RolePillProps {
  readonly entry: RoleEntry;
  readonly nameOf: (role: string) => RoleName;
  readonly remove: (() => void) | undefined;
}

function RolePill({ entry, nameOf, remove }: RolePillProps) {
  const { name, isGone } = isTyped(entry)
    ? { name: `@${entry.name}`, isGone: entry.isMissing }
    : nameOf(entry);
  return (
    <Pill
      withRemoveButton
      {...(remove ? { onRemove: remove } : {})}
      title={isTyped(entry) ? entry.text : entry}
      {...(isGone ? { className: 'lost' } : {})}
    >
      {name}
    </Pill>
  );
}

interface OfferedRole {
  readonly role: string;
  readonly name: string;
}

interface OfferedRoles {
  readonly options: readonly OfferedRole[];
  /** Gives the entry for a text that was typed. */
  readonly entryOf: (text: string) => RoleEntry;
}

/** After a `#` role attributes are offered, else entities. */
function useOfferedRoles(kind: Kind, text: string, isOpen: boolean): OfferedRoles {
  const isAttribute = text.trimStart().startsWith('#');
  const { rows } = useOffered(kind, text.trim().replace(/^@/, ''), isOpen && !isAttribute);
  const attributes = useAttributesInUse(kind, text.trim().slice(1), isOpen && isAttribute);
  const entities = rows.map(({ id, name }) => ({ role: `@${id}`, name: `@${String(name)}` }));
  return {
    options: isAttribute
      ? attributes.map((attribute) => ({ role: `#${attribute}`, name: `#${attribute}` }))
      : entities,
    entryOf: (typed) => {
      if (typed.startsWith('#')) return typed;
      const name = new TypedName(typed);
      return entities.find((entity) => entity.name === `@${name.name}`)?.role ?? name;
    },
  };
}

interface RoleName {
  readonly name: string;
  /** Whether its entity does not exist. */
  readonly isGone: boolean;
}

/** Looks for names that are not known yet. After a refusal it looks for all: an entity may be gone. */
function useRoleNames(
  { type }: Kind,
  entries: readonly RoleEntry[],
  known: ReadonlyMap<string, string>,
  isRefused: boolean,
): (role: string) => RoleName {
  const keyOfRole = (role: string): EntityKey => ({ type, id: role.slice(1) });
  const unknown = entries.filter(
    (entry): entry is string =>
      !isTyped(entry) && entry.startsWith('@') && (isRefused || !known.has(entry)),
  );
  const namingOf = useNames(unknown.map(keyOfRole));
  return (role) => {
    const naming = namingOf(keyOfRole(role));
    if (naming.is === 'gone') return { name: texts.select.gone(role), isGone: true };
    const name = naming.is === 'named' ? `@${String(naming.entity.name)}` : known.get(role);
    return { name: name ?? role, isGone: false };
  };
}
