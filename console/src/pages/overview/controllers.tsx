import type { OverviewResult } from '../../emitted/operations.js';
import { EntityLink } from '../../parts/entity-link.js';
import { Instant } from '../../parts/instant.js';
import { Panel } from '../../parts/panel.js';
import { PlainTable } from '../../parts/plain-table.js';
import { texts } from '../../texts.js';

type Controllers = NonNullable<OverviewResult['overview']>['controllers'];
type Controller = Controllers[number];

const SECOND_MS = 1_000;

/** The controllers of the network, with their release, processes and lag. */
export function Controllers({ controllers }: { controllers: Controllers }) {
  if (controllers.length === 0) return null;
  return (
    <Panel title={texts.overview.controllers}>
      <PlainTable
        label={texts.overview.controllers}
        heads={[
          texts.overview.name,
          texts.overview.state,
          texts.overview.version,
          texts.overview.processes,
          texts.overview.lag,
        ]}
        rows={controllers.map((controller) => [
          controller.id,
          [
            <EntityLink key="name" type="Controller" id={controller.id} name={controller.name} />,
            <State key="state" controller={controller} />,
            controller.version ?? texts.none,
            controller.processCount ?? texts.none,
            lagOf(controller),
          ],
        ])}
      />
    </Panel>
  );
}

function State({ controller: { isOnline, lastHeartbeatAt } }: { controller: Controller }) {
  if (isOnline) return <span className="tag good">{texts.overview.routerStates.online}</span>;
  return (
    <>
      <span className="tag bad">{texts.overview.routerStates.offline}</span>{' '}
      <Instant at={lastHeartbeatAt} isRelative />
    </>
  );
}

const lagOf = ({ feedSilenceMillis }: Controller): string =>
  feedSilenceMillis === null
    ? texts.none
    : texts.overview.seconds((feedSilenceMillis / SECOND_MS).toFixed(1));
