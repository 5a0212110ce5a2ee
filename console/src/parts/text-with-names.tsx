import { Fragment, useMemo } from 'react';
import { description } from '../description/description.js';
import type { EntityKey } from '../draft/bases.js';
import { eachOnce } from '../draft/named-members.js';
import { EntityLink } from './entity-link.js';
import { useNames, type NamingOf } from './use-names.js';

/** Shows a text of the controller; ids in it have the names of their entities before them. */
export function TextWithNames({ text }: { text: string }) {
  const pieces = useMemo(() => piecesOf(text), [text]);
  const namingOf = useNames(eachOnce(pieces.flatMap(({ entity }) => entity ?? [])));
  return pieces.map(({ before, entity }, i) => (
    <Fragment key={i}>
      {before}
      {entity ? <NamedId entity={entity} namingOf={namingOf} /> : null}
    </Fragment>
  ));
}

function NamedId({ entity: { type, id }, namingOf }: { entity: EntityKey; namingOf: NamingOf }) {
  const naming = namingOf({ type, id });
  if (naming.is !== 'named') return <>{id}</>;
  const { name } = naming.entity;
  return (
    <>
      <EntityLink type={type} id={id} name={typeof name === 'string' ? name : id} />
      {typeof name === 'string' ? ` (${id})` : null}
    </>
  );
}

interface Piece {
  readonly before: string;
  /** The entity that the text names after that; undefined at the end. */
  readonly entity: EntityKey | undefined;
}

/** How the controller calls entities: `servicePolicy`, or `service policy`. */
const typesByLabel = new Map(
  Object.keys(description.kinds).flatMap((type) => {
    const label = type.charAt(0).toLowerCase() + type.slice(1);
    const words = label.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return [[label, type] as const, [words, type] as const];
  }),
).set('ca', 'CertificateAuthority');

const ID = '[0-9A-Za-z][0-9A-Za-z.-]{8,98}[0-9A-Za-z]';

/** `identity xs1Ug2Gm.3XQ`, `service policy with id xs1Ug2Gm.3XQ` */
const NAMED = new RegExp(
  `\\b(${[...typesByLabel.keys()].join('|')})( with id)? (${ID})(?![\\w-])`,
  'g',
);

function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: whole, 1: label = '', 3: id = '', index } of text.matchAll(NAMED)) {
    const start = index + whole.length - id.length;
    pieces.push({
      before: text.slice(end, start),
      entity: { type: typesByLabel.get(label) ?? '', id },
    });
    end = start + id.length;
  }
  return [...pieces, { before: text.slice(end), entity: undefined }];
}
