import { Link } from '@tanstack/react-router';
import type { OverviewFindingsResult, Severity } from '../../emitted/operations.js';
import { Panel } from '../../parts/panel.js';
import { texts } from '../../texts.js';

type Severities = NonNullable<OverviewFindingsResult['overview']>['findings'];

const TONES = { high: 'bad', medium: 'warn', low: 'info' } as const;
const NAMES: Readonly<Record<'high' | 'medium' | 'low', Severity>> = {
  high: 'HIGH',
  medium: 'MEDIUM',
  low: 'LOW',
};
const SEVERITIES = ['high', 'medium', 'low'] as const;

/** Facts about the network that are probably not intended, by severity. */
export function Findings({ findings }: { findings: Severities | undefined }) {
  if (findings === null) return null;
  return (
    <Panel title={texts.overview.findings}>
      {findings === undefined ? (
        <span className="dim">{texts.loading}</span>
      ) : (
        <div className="row">
          {SEVERITIES.map((severity) => (
            <Link
              key={severity}
              to="/findings"
              search={{ severities: [NAMES[severity]] }}
              className={`figure ${findings[severity] > 0 ? TONES[severity] : ''}`}
            >
              <b>{findings[severity].toLocaleString()}</b> {texts.overview.severities[severity]}
            </Link>
          ))}
        </div>
      )}
    </Panel>
  );
}
