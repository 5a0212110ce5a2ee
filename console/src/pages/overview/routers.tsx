import { Link } from '@tanstack/react-router';
import type { OverviewResult } from '../../emitted/operations.js';
import { EntityLinks } from '../../parts/entity-links.js';
import { Panel } from '../../parts/panel.js';
import { texts } from '../../texts.js';

type States = NonNullable<OverviewResult['overview']>['routers'];

const TONES = { online: 'good', offline: 'bad', disabled: 'warn', notEnrolled: 'info' } as const;
const STATES = ['online', 'offline', 'disabled', 'notEnrolled'] as const;

/** The edge routers by state, and the first ones that are offline. */
export function Routers({ routers }: { routers: States }) {
  if (!routers) return null;
  return (
    <Panel
      title={texts.overview.routers}
      aside={
        <Link to="/entities/$list" params={{ list: 'edgeRouters' }}>
          {texts.overview.all}
        </Link>
      }
    >
      <div className="stack tight">
        <div className="row">
          {STATES.map((state) => (
            <span key={state} className={`figure ${routers[state] > 0 ? TONES[state] : ''}`}>
              <b>{routers[state].toLocaleString()}</b> {texts.overview.routerStates[state]}
            </span>
          ))}
        </div>
        {routers.offlineRouters.length === 0 ? null : (
          <div>
            {texts.overview.offlineRouters}{' '}
            <EntityLinks type="EdgeRouter" entities={routers.offlineRouters} />
          </div>
        )}
      </div>
    </Panel>
  );
}
