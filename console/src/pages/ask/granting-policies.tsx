import { wordsOf, wordsOfValue } from '../../description/names.js';
import { EntityLink } from '../../parts/entity-link.js';
import { Panel } from '../../parts/panel.js';
import { PlainTable } from '../../parts/plain-table.js';
import { textOfValue } from '../../parts/value.js';
import { texts } from '../../texts.js';
import { wordsOfMfa, type Failure } from './mfa-failure.js';
import type { Explanation, NamedPair } from '../../parts/access/pair.js';
import { MatchedRoles } from '../../parts/access/roles.js';

type Path = Explanation['paths'][number];
type Check = Path['postureChecks'][number];
type Verdict = Check['verdicts'][number];

interface GrantingPoliciesProps {
  readonly paths: readonly Path[];
  readonly pair: NamedPair;
  readonly isPast: boolean;
}

/** Every policy that grants the access, with the roles that matched and its posture checks. */
export function GrantingPolicies({ paths, pair, isPast }: GrantingPoliciesProps) {
  const identity = { id: pair.identityId, name: pair.identityName };
  const service = { id: pair.serviceId, name: pair.serviceName };
  return (
    <Panel title={texts.ask.policies} aside={<span className="number">{paths.length}</span>}>
      {paths.length === 0 ? (
        <span className="dim">{texts.ask.noPolicies}</span>
      ) : (
        <PlainTable
          label={texts.ask.policies}
          heads={[
            texts.ask.policy,
            wordsOf('semantic'),
            texts.ask.identityBy,
            texts.ask.serviceBy,
            wordsOf('postureChecks'),
          ]}
          rows={paths.map((path) => [
            path.policyId,
            [
              <EntityLink
                key="policy"
                type="ServicePolicy"
                id={path.policyId}
                name={path.policyName}
              />,
              wordsOf(path.semantic),
              <MatchedRoles key="identity" roles={path.identityRoles} entity={identity} />,
              <MatchedRoles key="service" roles={path.serviceRoles} entity={service} />,
              <Checks key="checks" checks={path.postureChecks} isPast={isPast} />,
            ],
          ])}
        />
      )}
    </Panel>
  );
}

function Checks({ checks, isPast }: { checks: readonly Check[]; isPast: boolean }) {
  if (checks.length === 0) return <>{texts.none}</>;
  return (
    <ul className="plain">
      {checks.map(({ postureCheckId, postureCheckName, typeId, verdicts }) => (
        <li key={postureCheckId}>
          <EntityLink type="PostureCheck" id={postureCheckId} name={postureCheckName} />{' '}
          <span className="dim">{wordsOfValue(typeId)}</span>
          {isPast ? null : <Verdicts verdicts={verdicts} />}
        </li>
      ))}
    </ul>
  );
}

/** A check is judged in each session of the identity, because each is of another device. */
function Verdicts({ verdicts }: { verdicts: readonly Verdict[] }) {
  if (verdicts.length === 0) return <div className="dim">{texts.ask.notJudged}</div>;
  return (
    <ul className="plain">
      {verdicts.map(({ apiSessionId, isPassing, failure }) => (
        <li key={apiSessionId}>
          <span className={`tag ${isPassing ? 'good' : 'bad'}`}>
            {isPassing ? texts.ask.passes : texts.ask.fails}
          </span>{' '}
          {texts.ask.inSession} <EntityLink type="ApiSession" id={apiSessionId} />
          {failure ? <Failing failure={failure} /> : null}
        </li>
      ))}
    </ul>
  );
}

function Failing({ failure }: { failure: Failure }) {
  const { actualValue, expectedValue, semantic, criteria } = failure;
  const mfa = wordsOfMfa(failure);
  const facts: readonly (readonly [string, unknown])[] = [
    [texts.ask.found, mfa?.found ?? actualValue],
    [texts.ask.wanted, mfa?.wanted ?? expectedValue],
    [wordsOf('semantic'), semantic],
    ...Object.entries(criteria ?? {}).map(([name, value]) => [wordsOf(name), value] as const),
  ];
  return (
    <ul className="plain">
      {facts
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([title, value]) => (
          <li key={title}>
            {title}: {readable(value)}
          </li>
        ))}
    </ul>
  );
}

/** `{ isRunning: false }` -> `Is running: no`. The values have the form of the type of the check. */
function readable(value: unknown): string {
  if (value === NO_END) return texts.ask.noEnd;
  if (typeof value === 'boolean') return value ? texts.yes : texts.no;
  if (value === null || value === undefined || value === '') return texts.none;
  if (Array.isArray(value)) return value.map(readable).join('; ');
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, member]) => `${wordsOf(name)}: ${readable(member)}`)
      .join(', ');
  }
  return textOfValue(value);
}

/** As durations write it. */
const NO_END = -1;
