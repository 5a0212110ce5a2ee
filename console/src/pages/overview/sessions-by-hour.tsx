import type { OverviewResult } from '../../emitted/operations.js';
import { Panel } from '../../parts/panel.js';
import { PlainTable } from '../../parts/plain-table.js';
import { texts } from '../../texts.js';

type Hours = NonNullable<NonNullable<OverviewResult['overview']>['sessions']>;

const HEIGHT = 64;
const WIDTH = 240;

const hourOf = (at: string): string =>
  new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });

/** The logins and sessions of the last hours as bars; the numbers stand in a table below. */
export function SessionsByHour({ hours }: { hours: Hours | null }) {
  if (!hours) return null;
  const title = texts.overview.sessionsByHour;
  return (
    <Panel title={title}>
      <div className="stack tight">
        <Bars hours={hours} />
        <details>
          <summary>{texts.overview.asTable}</summary>
          <PlainTable
            label={title}
            heads={[
              texts.overview.hour,
              texts.overview.apiSessions,
              texts.overview.sessions,
              texts.overview.refused,
            ]}
            rows={hours.map(({ hour, apiSessions, sessions, failedLogins }) => [
              hour,
              [hourOf(hour), apiSessions, sessions, failedLogins],
            ])}
          />
        </details>
      </div>
    </Panel>
  );
}

function Bars({ hours }: { hours: Hours }) {
  const most = Math.max(1, ...hours.map(({ apiSessions }) => apiSessions));
  const width = WIDTH / Math.max(hours.length, 1);
  return (
    <svg
      className="bars"
      viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={texts.overview.mostInAnHour(most)}
    >
      {hours.map(({ hour, apiSessions }, i) => {
        const height = (HEIGHT * apiSessions) / most;
        return (
          <rect key={hour} x={i * width} y={HEIGHT - height} width={width * 0.8} height={height}>
            <title>{`${hourOf(hour)}: ${apiSessions.toLocaleString()}`}</title>
          </rect>
        );
      })}
    </svg>
  );
}
