import { Fragment } from 'react';
import { wordsOf, wordsOfValue } from '../../description/names.js';
import { AssignmentsOfRoles } from '../../parts/access/assignments-of-roles.js';
import { EntityLink } from '../../parts/entity-link.js';
import { OtherMembers } from '../../parts/other-members.js';
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
  readonly assignments: Explanation['assignments'];
  readonly pair: NamedPair;
  readonly isPast: boolean;
}

/** Every policy that grants the access, with the roles that matched and its posture checks. */
export function GrantingPolicies({ paths, assignments, pair, isPast }: GrantingPoliciesProps) {
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
              <Fragment key="policy">
                <EntityLink type="ServicePolicy" id={path.policyId} name={path.policyName} />
                <OtherMembers values={path} shown={SHOWN_OF_PATH} />
              </Fragment>,
              wordsOf(path.semantic),
              <Fragment key="identity">
                <MatchedRoles roles={path.identityRoles} entity={identity} />
                <AssignmentsOfRoles roles={path.identityRoles} assignments={assignments} />
              </Fragment>,
              <MatchedRoles key="service" roles={path.serviceRoles} entity={service} />,
              <Checks key="checks" checks={path.postureChecks} isPast={isPast} />,
            ],
          ])}
        />
      )}
    </Panel>
  );
}

const SHOWN_OF_PATH = [
  'policyId',
  'policyName',
  'semantic',
  'identityRoles',
  'serviceRoles',
  'postureChecks',
] as const;

function Checks({ checks, isPast }: { checks: readonly Check[]; isPast: boolean }) {
  if (checks.length === 0) return <>{texts.none}</>;
  return (
    <ul className="plain">
      {checks.map((check) => (
        <li key={check.postureCheckId}>
          <EntityLink type="PostureCheck" id={check.postureCheckId} name={check.postureCheckName} />{' '}
          <span className="dim">{wordsOfValue(check.typeId)}</span>
          <OtherMembers values={check} shown={SHOWN_OF_CHECK} />
          {isPast ? null : <Verdicts verdicts={check.verdicts} />}
        </li>
      ))}
    </ul>
  );
}

const SHOWN_OF_CHECK = ['postureCheckId', 'postureCheckName', 'typeId', 'verdicts'] as const;

/** A check is judged in each session of the identity, because each is of another device. */
function Verdicts({ verdicts }: { verdicts: readonly Verdict[] }) {
  if (verdicts.length === 0) return <div className="dim">{texts.ask.notJudged}</div>;
  return (
    <ul className="plain">
      {verdicts.map((verdict) => (
        <li key={verdict.apiSessionId}>
          <span className={`tag ${verdict.isPassing ? 'good' : 'bad'}`}>
            {verdict.isPassing ? texts.ask.passes : texts.ask.fails}
          </span>{' '}
          {texts.ask.inSession} <EntityLink type="ApiSession" id={verdict.apiSessionId} />
          {verdict.failure ? <Failing failure={verdict.failure} /> : null}
          <OtherMembers values={verdict} shown={SHOWN_OF_VERDICT} />
        </li>
      ))}
    </ul>
  );
}

const SHOWN_OF_VERDICT = ['apiSessionId', 'isPassing', 'failure'] as const;

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
