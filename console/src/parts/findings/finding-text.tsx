import { kindOfModel } from '../../description/fields.js';
import { EntityLink } from '../entity-link.js';
import { texts } from '../../texts.js';
import type { Finding } from './read-findings.js';

type Entity = Finding['entities'][number];

/** Also of a finding that changes would bring. */
type Sentence = Pick<Finding, 'text' | 'entities'>;

/** The parts of a sentence; the sentences of findings have ids, since names may change. */
function partsOf({ text, entities }: Sentence): readonly (string | Entity)[] {
  if (entities.length === 0) return [text];
  const byId = new Map(entities.map((entity) => [entity.entityId, entity]));
  return text.split(wordsLike([...byId.keys()])).map((word) => byId.get(word) ?? word);
}

/** The ids as whole words, also in roles; the dot of a sentence is not one of theirs. */
function wordsLike(ids: readonly string[]): RegExp {
  const choices = ids.map((id) => id.replaceAll(/[^0-9A-Za-z]/g, String.raw`\$&`));
  return new RegExp(String.raw`(?<![^\s@(])(${choices.join('|')})(?=[.,:)]*(?:\s|$))`);
}

/** The sentence with names in the place of ids. */
export const plainText = (finding: Sentence): string =>
  partsOf(finding)
    .map((part) => (typeof part === 'string' ? part : `“${part.name ?? part.entityId}”`))
    .join('');

/** The sentence with links in the place of ids. */
export function LinkedText({ finding }: { finding: Finding }) {
  return partsOf(finding).map((part, i) =>
    typeof part === 'string' ? part : <FoundEntity key={i} entity={part} />,
  );
}

/** An entity, and whatever else takes part in the finding. */
export function FindingEntities({ finding, most }: { finding: Finding; most: number }) {
  const shown = finding.entities.slice(0, most);
  const more = finding.entityCount - shown.length;
  return (
    <>
      {shown.map((entity, i) => (
        <span key={`${entity.kind} ${entity.entityId}`}>
          {i === 0 ? '' : ', '}
          <FoundEntity entity={entity} />
        </span>
      ))}
      {more > 0 ? <span className="dim"> {texts.findings.more(more)}</span> : null}
    </>
  );
}

const FoundEntity = ({ entity: { kind, entityId, name } }: { entity: Entity }) => (
  <EntityLink type={kindOfModel(kind)?.type ?? ''} id={entityId} name={name} />
);
