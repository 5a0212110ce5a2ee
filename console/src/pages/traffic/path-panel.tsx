import { kindOfType } from '../../description/fields.js';
import { wordsOf } from '../../description/names.js';
import type { TrafficPathResult } from '../../emitted/operations.js';
import type { AnswerState } from '../../graph/use-answer.js';
import { EntitySelect } from '../../parts/entity-select.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Panel } from '../../parts/panel.js';
import { texts } from '../../texts.js';
import { Facts } from './facts.js';
import type { Way } from './router-scene.js';
import type { ChangeSearch, TrafficSearch } from '../../addresses/traffic-search.js';
import { WayList } from './way.js';

type RouterPath = NonNullable<TrafficPathResult['routerPath']>;

/** The way of a path; undefined without one. */
export function wayOfPath(path: RouterPath): Way | undefined {
  const { routerIds, routers, linkIds } = path;
  if (routerIds.length === 0) return undefined;
  const way = routerIds.map((id, i) => ({ id, name: routers?.[i]?.name ?? null }));
  return { routers: way, linkIds };
}

/** The path between the chosen routers, once it is known. */
export const pathOf = ({
  data,
  isOfOthers,
}: AnswerState<TrafficPathResult>): RouterPath | undefined =>
  isOfOthers ? undefined : (data?.routerPath ?? undefined);

interface PathPanelProps {
  readonly search: TrafficSearch;
  readonly change: ChangeSearch;
  readonly answer: AnswerState<TrafficPathResult>;
}

/** Asks for the path that a new circuit would take between two routers. */
export function PathPanel({ search, change, answer }: PathPanelProps) {
  const kind = kindOfType('Router');
  if (!kind) return null;
  const { from, to } = search;
  return (
    <Panel title={texts.traffic.path}>
      <div className="stack">
        <EntitySelect
          kind={kind}
          label={texts.traffic.from}
          value={from}
          choose={(id) => {
            change({ from: id, circuit: undefined, router: undefined });
          }}
        />
        <EntitySelect
          kind={kind}
          label={texts.traffic.to}
          value={to}
          choose={(id) => {
            change({ to: id, circuit: undefined, router: undefined });
          }}
        />
        {from === undefined || to === undefined ? (
          <span className="dim">{texts.traffic.pathHelp}</span>
        ) : (
          <PathAnswer answer={answer} />
        )}
      </div>
    </Panel>
  );
}

function PathAnswer({ answer }: Pick<PathPanelProps, 'answer'>) {
  const { failure, isLoading } = answer;
  const path = pathOf(answer);
  return (
    <div role="status" aria-label={texts.traffic.path} aria-busy={isLoading} className="stack">
      <FailureNotice failure={path ? undefined : failure} />
      {path || failure ? null : <span className="dim">{texts.loading}</span>}
      {path ? <FoundPath path={path} /> : null}
    </div>
  );
}

function FoundPath({ path }: { path: RouterPath }) {
  const way = wayOfPath(path);
  if (!way) return <div className="notice warn">{path.reason}</div>;
  return (
    <>
      <Facts facts={[[wordsOf('cost'), path.cost?.toLocaleString() ?? texts.none]]} />
      <WayList way={way} />
    </>
  );
}
