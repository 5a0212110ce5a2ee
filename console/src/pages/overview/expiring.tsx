import { wordsOfValue } from '../../description/names.js';
import type { OverviewResult } from '../../emitted/operations.js';
import { EntityLink } from '../../parts/entity-link.js';
import { Instant } from '../../parts/instant.js';
import { Panel } from '../../parts/panel.js';
import { PlainTable } from '../../parts/plain-table.js';
import { texts } from '../../texts.js';

type Expiring = NonNullable<OverviewResult['overview']>['expiring'];
type Expiry = Expiring['nodes'][number];

/** Certificates and invitations that end soon, or have ended lately. */
export function Expiring({ expiring }: { expiring: Expiring }) {
  if (expiring.kinds.length === 0) return null;
  return (
    <Panel
      title={texts.overview.expiring}
      aside={<span className="number">{expiring.totalCount.toLocaleString()}</span>}
    >
      {expiring.nodes.length === 0 ? (
        <span className="dim">{texts.overview.nothingExpires}</span>
      ) : (
        <PlainTable
          label={texts.overview.expiring}
          heads={[texts.overview.what, texts.overview.of, texts.overview.ends]}
          rows={expiring.nodes.map((expiry, i) => [
            `${expiry.kind} ${expiry.entityId ?? ''} ${expiry.notAfter} ${String(i)}`,
            [
              wordsOfValue(expiry.kind),
              <Ending key="of" expiry={expiry} />,
              <Instant key="ends" at={expiry.notAfter} isRelative />,
            ],
          ])}
        />
      )}
    </Panel>
  );
}

function Ending({ expiry: { entityId, entityType, entityName } }: { expiry: Expiry }) {
  if (entityId === null || entityType === null) return <>{entityName ?? texts.none}</>;
  return <EntityLink type={entityType} id={entityId} name={entityName} />;
}
