import type { ReactNode } from 'react';
import { Instant } from '../../parts/instant.js';
import { windowsInWords, type Times } from '../../parts/times-in-words.js';
import { texts } from '../../texts.js';

type Values = Readonly<Record<string, unknown>>;

/** Values that the page of an entity shows in words of their own, by the names of their members. */
export const ownValues = (type: string, entity: Values): Readonly<Record<string, ReactNode>> =>
  OWN_VALUES[type]?.(entity) ?? {};

const OWN_VALUES: Readonly<
  Record<string, (entity: Values) => Readonly<Record<string, ReactNode>>>
> = {
  ServicePolicy: (policy) => ({ weeklyWindows: <WeeklyWindows policy={policy} /> }),
};

interface TimedPolicy extends Times {
  readonly isInForce?: boolean;
  readonly nextChangeAt?: string | null;
}

function WeeklyWindows({ policy }: { policy: TimedPolicy }) {
  const { isInForce = false, nextChangeAt } = policy;
  const inWords = windowsInWords(policy);
  if (inWords === '') return <>{texts.none}</>;
  return (
    <>
      <div>{inWords}</div>
      {nextChangeAt ? (
        <div className="dim">
          {isInForce ? texts.times.ends : texts.times.begins} <Instant at={nextChangeAt} /> (
          <Instant at={nextChangeAt} isRelative />)
        </div>
      ) : null}
    </>
  );
}
