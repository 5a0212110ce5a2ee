import { Overview, OverviewFindings } from '../../emitted/operations.js';
import { useAnswer } from '../../graph/use-answer.js';
import { useChangeRounds } from '../../graph/use-change-rounds.js';
import { useLiveAnswer } from '../../graph/use-live.js';
import { MyAccessLink } from '../../parts/my-access-link.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { PageHeading } from '../../parts/page-heading.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import { Controllers } from './controllers.js';
import { Counts } from './counts.js';
import { Expiring } from './expiring.js';
import { FailedLogins } from './failed-logins.js';
import { Findings } from './findings.js';
import { Routers } from './routers.js';
import { SessionsByHour } from './sessions-by-hour.js';
import { WaitingIdentities } from './waiting-identities.js';

/** Logins and signs of life are no changes of the network, so the page asks for them at times. */
const REFRESH_MS = 15_000;
/** The findings take an analysis of the whole network. */
const FINDINGS_REFRESH_MS = 120_000;

/** What happens in the network now, as far as the caller may see it. */
export function OverviewPage() {
  const may = useMay();
  return (
    <div className="stack">
      <PageHeading text={texts.pages.overview} />
      {may('Query', 'overview') ? (
        <Content />
      ) : (
        <>
          <div className="notice">{texts.overview.nothing}</div>
          <MyAccessLink />
        </>
      )}
    </div>
  );
}

function Content() {
  const rounds = useChangeRounds();
  const { data, failure } = useLiveAnswer(Overview, {}, rounds, { every: REFRESH_MS });
  const findings = useAnswer(OverviewFindings, {}, { every: FINDINGS_REFRESH_MS });
  const overview = data?.overview;
  return (
    <>
      {overview ? null : <FailureNotice failure={failure} />}
      {overview || failure ? null : <div className="dim">{texts.loading}</div>}
      {overview ? (
        <div className="flow">
          <Routers routers={overview.routers} />
          <WaitingIdentities rounds={rounds} />
          <Findings findings={findings.data?.overview?.findings} />
          <SessionsByHour hours={overview.sessions} />
          <FailedLogins logins={overview.failedLogins} />
          <Expiring expiring={overview.expiring} />
          <Controllers controllers={overview.controllers} />
          <Counts counts={overview.counts} />
        </div>
      ) : null}
    </>
  );
}
