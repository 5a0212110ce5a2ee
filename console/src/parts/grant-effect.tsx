import type { EffectOfGrant } from '../emitted/operations.js';
import type { Failure } from '../graph/failure.js';
import { texts } from '../texts.js';
import { EntityLink } from './entity-link.js';
import { FailureNotice } from './failure-notice.js';
import { PlainTable } from './plain-table.js';

interface GrantEffectProps {
  readonly effect: EffectOfGrant | null | undefined;
  readonly failure: Failure | undefined;
}

/** The access that an identity gains by a grant or an approval, and the access rules that refuse it. */
export function GrantEffect({ effect, failure }: GrantEffectProps) {
  return (
    <>
      <FailureNotice failure={failure} />
      {effect || failure ? null : <div className="dim">{texts.loading}</div>}
      {effect?.violations.map(({ ruleId, ruleName, serviceId, serviceName, type }) => (
        <div key={`${ruleId} ${serviceId} ${type}`} className="notice bad">
          {texts.myAccess.refuses(ruleName, serviceName, type)}
        </div>
      ))}
      {effect ? <Gained effect={effect} /> : null}
    </>
  );
}

function Gained({ effect: { gainedCount, gained } }: { effect: EffectOfGrant }) {
  if (gainedCount === 0) return <div className="dim">{texts.myAccess.gainsNothing}</div>;
  const title = texts.myAccess.gains(gainedCount);
  return (
    <>
      <div>{title}</div>
      <PlainTable
        label={title}
        heads={[texts.myAccess.service, texts.myAccess.type]}
        rows={gained.map(({ serviceId, serviceName, type }) => [
          `${serviceId} ${type}`,
          [<EntityLink key="service" type="Service" id={serviceId} name={serviceName} />, type],
        ])}
      />
      {gainedCount > gained.length ? (
        <div className="dim">{texts.myAccess.more(gainedCount - gained.length)}</div>
      ) : null}
    </>
  );
}
