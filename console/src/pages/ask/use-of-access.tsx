import { UseOfPair, type UseOfPairResult } from '../../emitted/operations.js';
import { useAnswer } from '../../graph/use-answer.js';
import { EntityLink } from '../../parts/entity-link.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Instant } from '../../parts/instant.js';
import { Panel } from '../../parts/panel.js';
import { texts } from '../../texts.js';
import type { Pair } from '../../parts/access/pair.js';

const REFRESH_MS = 30_000;

/** When the access was used last, and the circuits that use it now. */
export function UseOfAccess({ pair: { identityId, serviceId, type } }: { pair: Pair }) {
  const variables = { identityId, serviceId, type };
  const { data, failure } = useAnswer(UseOfPair, variables, { every: REFRESH_MS });
  return (
    <Panel title={texts.ask.use}>
      <FailureNotice failure={failure} />
      <dl className="sides">
        <div>
          <dt>{texts.ask.lastUse}</dt>
          <dd>
            <LastUse
              at={data?.accesses?.nodes[0]?.lastUsedAt}
              recordedSince={data?.lastUseRecording?.recordedSince}
            />
          </dd>
        </div>
        <div>
          <dt>{texts.ask.circuits}</dt>
          <dd>{data?.access ? <Circuits circuits={data.access.circuits} /> : texts.none}</dd>
        </div>
      </dl>
    </Panel>
  );
}

interface LastUseProps {
  readonly at: string | null | undefined;
  readonly recordedSince: string | undefined;
}

function LastUse({ at, recordedSince }: LastUseProps) {
  if (recordedSince === undefined) return <>{texts.none}</>;
  return (
    <>
      {typeof at === 'string' ? <Instant at={at} /> : texts.ask.neverUsed}{' '}
      <span className="dim">
        {texts.ask.recordedSince} <Instant at={recordedSince} />
      </span>
    </>
  );
}

type CircuitsOfPair = NonNullable<UseOfPairResult['access']>['circuits'];

function Circuits({ circuits: { totalCount, nodes } }: { circuits: CircuitsOfPair }) {
  return (
    <>
      {totalCount.toLocaleString()}
      {nodes.map(({ id, createdAt }) => (
        <div key={id}>
          <EntityLink type="Circuit" id={id} /> <Instant at={createdAt} isRelative />
        </div>
      ))}
    </>
  );
}
