import { wordsOfValue } from '../description/names.js';
import type { SimulateResult } from '../emitted/operations.js';
import { EntityLink } from './entity-link.js';
import { Panel } from './panel.js';
import { PlainTable } from './plain-table.js';
import { texts } from '../texts.js';
import { plainText } from './findings/finding-text.js';
import { TONES } from '../addresses/findings-search.js';

type Simulation = NonNullable<SimulateResult['simulate']>;
type Pairs = Simulation['gained'];

interface EffectProps {
  readonly simulation: Simulation;
  /** The longest list of pairs. */
  readonly most?: number;
  /** Whether the page says already what access rules refuse. */
  readonly isRefused?: boolean;
}

/** What changes would do: access, rules, findings and sessions. */
export function Effect({ simulation, most = 100, isRefused = false }: EffectProps) {
  const { gained, lost, violations, findings, endedSessions } = simulation;
  return (
    <div className="stack">
      {(isRefused ? [] : (violations ?? [])).map((violation) => (
        <div
          key={`${violation.ruleId} ${violation.identityId} ${violation.serviceId}`}
          className="notice bad"
        >
          {texts.draft.violates(
            { name: violation.ruleName, kind: violation.ruleKind, type: violation.type },
            violation.identityName ?? violation.identityId,
            violation.serviceName ?? violation.serviceId,
          )}
        </div>
      ))}
      <PairPanel title={texts.draft.gained} pairs={gained} most={most} />
      <PairPanel title={texts.draft.lost} pairs={lost} most={most} />
      <Panel title={texts.draft.findings}>
        <div className="stack tight">
          <div>{texts.draft.appear(findings.appearedCount, findings.vanishedCount)}</div>
          {findings.appeared.map((finding) => (
            <div key={finding.findingId}>
              <span className={`tag ${TONES[finding.severity]}`}>
                {wordsOfValue(finding.severity)}
              </span>{' '}
              {plainText(finding)}
            </div>
          ))}
        </div>
      </Panel>
      {endedSessions && endedSessions.totalCount > 0 ? (
        <div className="notice warn">{texts.draft.sessionsEnd(endedSessions.totalCount)}</div>
      ) : null}
    </div>
  );
}

interface PairPanelProps {
  readonly title: string;
  readonly pairs: Pairs;
  readonly most: number;
}

function PairPanel({ title, pairs, most }: PairPanelProps) {
  const { totalCount } = pairs;
  const nodes = pairs.nodes.slice(0, most);
  return (
    <Panel title={title} aside={<span className="number">{totalCount.toLocaleString()}</span>}>
      {nodes.length === 0 ? (
        <span className="dim">{texts.draft.noPairs}</span>
      ) : (
        <PlainTable
          label={title}
          heads={[texts.draft.identity, texts.draft.service, texts.draft.type]}
          rows={nodes.map((pair) => [
            `${pair.identityId} ${pair.serviceId} ${pair.type}`,
            [
              <EntityLink
                key="identity"
                type="Identity"
                id={pair.identityId}
                name={pair.identityName}
              />,
              <EntityLink
                key="service"
                type="Service"
                id={pair.serviceId}
                name={pair.serviceName}
              />,
              pair.type,
            ],
          ])}
        />
      )}
      {totalCount > nodes.length ? (
        <div className="dim">{texts.draft.more(totalCount - nodes.length)}</div>
      ) : null}
    </Panel>
  );
}
