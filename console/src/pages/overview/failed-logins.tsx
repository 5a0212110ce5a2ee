import { wordsOfValue } from '../../description/names.js';
import type { OverviewResult } from '../../emitted/operations.js';
import { EntityLink } from '../../parts/entity-link.js';
import { Instant } from '../../parts/instant.js';
import { Panel } from '../../parts/panel.js';
import { PlainTable } from '../../parts/plain-table.js';
import { texts } from '../../texts.js';

type Logins = NonNullable<OverviewResult['overview']>['failedLogins'];
type Login = NonNullable<Logins>['nodes'][number];

/** Logins that were refused lately, by owner, reason and address. */
export function FailedLogins({ logins }: { logins: Logins }) {
  if (!logins) return null;
  return (
    <Panel
      title={texts.overview.failedLogins}
      aside={<span className="number">{logins.total.toLocaleString()}</span>}
    >
      {logins.nodes.length === 0 ? (
        <span className="dim">{texts.overview.noFailedLogins}</span>
      ) : (
        <PlainTable
          label={texts.overview.failedLogins}
          heads={[
            texts.overview.owner,
            texts.overview.refusal,
            texts.overview.sender,
            texts.overview.count,
            texts.overview.last,
          ]}
          rows={logins.nodes.map((login) => [
            JSON.stringify([
              login.identityId,
              login.owner,
              login.refusal,
              login.sender,
              login.method,
            ]),
            [
              <Owner key="owner" login={login} />,
              <span key="refusal" title={login.reason}>
                {wordsOfValue(login.refusal)}
              </span>,
              login.sender ?? texts.overview.several,
              login.count.toLocaleString(),
              <Instant key="last" at={login.lastAt} isRelative />,
            ],
          ])}
        />
      )}
    </Panel>
  );
}

function Owner({ login: { owner, identityId, identity } }: { login: Login }) {
  if (identityId === null) return <>{wordsOfValue(owner)}</>;
  return <EntityLink type="Identity" id={identityId} name={identity?.name} />;
}
