import { Link } from '@tanstack/react-router';
import { wordsOf } from '../../description/names.js';
import { TrafficRouter } from '../../emitted/operations.js';
import { useLiveAnswer } from '../../graph/use-live.js';
import { EntityLink } from '../../parts/entity-link.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Instant } from '../../parts/instant.js';
import { Panel } from '../../parts/panel.js';
import { texts } from '../../texts.js';
import { CloseButton } from './close-button.js';
import { Facts } from './facts.js';
import { stateOf } from './router-scene.js';
import { StateTag } from './router-state.js';
import { typeOf, type Router } from './router-table.js';

interface RouterPanelProps {
  readonly id: string;
  readonly round: number;
  readonly close: () => void;
}

/** The router that is chosen in the picture. */
export function RouterPanel({ id, round, close }: RouterPanelProps) {
  const { data, failure } = useLiveAnswer(TrafficRouter, { id }, round);
  const router = data?.router;
  return (
    <Panel title={wordsOf('Router')} aside={<CloseButton close={close} />}>
      <FailureNotice failure={failure} />
      {router ? <ChosenRouter router={router} /> : null}
      {router || failure ? null : <span className="dim">{texts.loading}</span>}
    </Panel>
  );
}

function ChosenRouter({ router }: { router: Router }) {
  const { id, name, onlineSince, inStepSince, links, circuits } = router;
  return (
    <Facts
      facts={[
        [wordsOf('name'), <EntityLink key="name" type={typeOf(router)} id={id} name={name} />],
        [texts.traffic.state, <StateTag key="state" state={stateOf(router)} />],
        [wordsOf('onlineSince'), <Instant key="since" at={onlineSince} />],
        [wordsOf('inStepSince'), <Instant key="step" at={inStepSince} />],
        [wordsOf('links'), links.totalCount.toLocaleString()],
        [
          wordsOf('circuits'),
          <Link key="circuits" to="/traffic" search={{ view: 'circuits', router: id }}>
            {texts.traffic.circuitCount(circuits.totalCount)}
          </Link>,
        ],
      ]}
    />
  );
}
