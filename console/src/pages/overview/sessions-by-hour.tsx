import type { OverviewResult } from '../../emitted/operations.js';
import { Bars } from '../../parts/bars.js';
import { Panel } from '../../parts/panel.js';
import { PlainTable } from '../../parts/plain-table.js';
import { texts } from '../../texts.js';

type Hours = NonNullable<NonNullable<OverviewResult['overview']>['sessions']>;

const hourOf = (at: string): string =>
  new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });

/** The logins and sessions of the last hours as bars; the numbers stand in a table below. */
export function SessionsByHour({ hours }: { hours: Hours | null }) {
  if (!hours) return null;
  const title = texts.overview.sessionsByHour;
  return (
    <Panel title={title}>
      <div className="stack tight">
        <Bars
          label={texts.overview.mostInAnHour(
            Math.max(0, ...hours.map(({ apiSessions }) => apiSessions)),
          )}
          bars={hours.map(({ hour, apiSessions }) => ({
            key: hour,
            value: apiSessions,
            title: `${hourOf(hour)}: ${apiSessions.toLocaleString()}`,
          }))}
        />
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
