import { description } from '../../description/description.js';
import { EntityLink } from '../entity-link.js';
import { Instant } from '../instant.js';
import { texts } from '../../texts.js';
import { isInstant } from '../../addresses/ask-search.js';
import type { Explanation, NamedPair } from './pair.js';

interface VerdictProps {
  readonly access: Explanation;
  readonly pair: NamedPair;
  readonly at: string | undefined;
}

/** The answer in one sentence, with all that is in the way. */
export function Verdict({ access: { allowed, obstacles }, pair, at }: VerdictProps) {
  const tone = allowed ? (obstacles.length === 0 ? 'good' : 'warn') : 'bad';
  const { may, mayNot, can, canNot } = texts.ask.verdict;
  return (
    <section className={`notice ${tone} verdict`} aria-label={texts.ask.answer} role="status">
      <h2>
        <EntityLink type="Identity" id={pair.identityId} name={pair.identityName} />{' '}
        {allowed ? may : mayNot} {texts.ask.verbs[pair.type]}{' '}
        <EntityLink type="Service" id={pair.serviceId} name={pair.serviceName} />
        {allowed && at === undefined ? (obstacles.length === 0 ? can : canNot) : null}.
      </h2>
      {at === undefined ? null : <Past at={at} />}
      {obstacles.length === 0 ? null : (
        <ul>
          {obstacles.map((obstacle) => (
            <li key={obstacle}>{description.enums.AccessObstacle?.[obstacle] ?? obstacle}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Past({ at }: { at: string }) {
  return (
    <div>
      {isInstant(at) ? (
        <>
          {texts.ask.pastAt} <Instant at={at} />.
        </>
      ) : (
        texts.ask.afterChange(at)
      )}{' '}
      {texts.ask.pastLimits}
    </div>
  );
}
