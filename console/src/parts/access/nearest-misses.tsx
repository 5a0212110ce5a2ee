import { wordsOf } from '../../description/names.js';
import { DraftButton } from '../draft-button.js';
import { WhyAccess } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { Failure } from '../../graph/failure.js';
import { EntityLink } from '../entity-link.js';
import { OtherMembers } from '../other-members.js';
import { Panel } from '../panel.js';
import { texts } from '../../texts.js';
import type { Explanation, NamedPair } from './pair.js';
import { roleText } from './roles.js';

type Misses = Explanation['nearestMisses'];
type Miss = Misses['nodes'][number];
type Side = NonNullable<Miss['identitySide']>;
type Remedy = Side['remedies'][number];

interface NearestMissesProps {
  readonly misses: Misses;
  readonly pair: NamedPair;
  /** Whether they are those of a time of the past. */
  readonly isPast: boolean;
}

/** The policies that need the fewest additions to grant the access. */
export function NearestMisses({ misses, pair, isPast }: NearestMissesProps) {
  const { nodes, totalCount } = misses;
  return (
    <Panel
      title={texts.ask.misses}
      aside={<span className="dim">{texts.ask.ofPolicies(nodes.length, totalCount)}</span>}
    >
      {nodes.length === 0 ? (
        <span className="dim">{texts.ask.noMisses}</span>
      ) : (
        <ol className="misses">
          {nodes.map((miss) => (
            <li key={miss.policyId}>
              <OneMiss miss={miss} pair={pair} />
              {isPast ? null : (
                <DraftButton
                  subject={miss.policyName}
                  help={texts.ask.firstWay}
                  changes={smallestAddition(miss)}
                  propose={() => readAddition(pair, miss.policyId)}
                />
              )}
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

/** The first remedy of a side is its smallest. */
const smallestAddition = ({ identitySide, serviceSide }: Miss) =>
  [identitySide, serviceSide].flatMap((side) => side?.remedies[0]?.change ?? []);

/** The smallest addition as the network is now. */
async function readAddition({ identityId, serviceId, type }: NamedPair, policyId: string) {
  const { access } = await ask(WhyAccess, { identityId, serviceId, type });
  const miss = access?.nearestMisses.nodes.find((each) => each.policyId === policyId);
  if (!miss) throw new Failure({ message: texts.ask.missGone });
  return smallestAddition(miss);
}

function OneMiss({ miss, pair }: { miss: Miss; pair: NamedPair }) {
  const { policyId, policyName, semantic, changes, isInForce, identitySide, serviceSide } = miss;
  return (
    <>
      <h3>
        <EntityLink type="ServicePolicy" id={policyId} name={policyName} />{' '}
        <span className="tag">{wordsOf(semantic)}</span>{' '}
        <span className="dim">{texts.ask.additions(changes)}</span>{' '}
        {isInForce ? null : <span className="tag">{texts.ask.notInForce}</span>}
      </h3>
      <OtherMembers values={miss} shown={SHOWN} />
      <dl className="sides">
        <SideOfMiss
          title={wordsOf('Identity')}
          side={identitySide}
          entity={{ id: pair.identityId, name: pair.identityName }}
        />
        <SideOfMiss
          title={wordsOf('Service')}
          side={serviceSide}
          entity={{ id: pair.serviceId, name: pair.serviceName }}
        />
      </dl>
    </>
  );
}

const SHOWN = [
  'policyId',
  'policyName',
  'semantic',
  'changes',
  'isInForce',
  'identitySide',
  'serviceSide',
] as const;

interface SideOfMissProps {
  readonly title: string;
  /** Null: the policy selects the entity already. */
  readonly side: Side | null;
  readonly entity: { readonly id: string; readonly name: string };
}

const MAX_REMEDIES = 3;

function SideOfMiss({ title, side, entity }: SideOfMissProps) {
  if (!side) {
    return (
      <div>
        <dt>{title}</dt>
        <dd>{texts.ask.isSelected}</dd>
      </div>
    );
  }
  const { missingAttributes, remedies } = side;
  const shown = remedies.slice(0, MAX_REMEDIES);
  const more = remedies.length - shown.length;
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {missingAttributes.length === 0
          ? texts.ask.isNotSelected
          : texts.ask.lacks(missingAttributes.map((name) => `#${name}`).join(', '))}
        {remedies.length > 1 ? <> {texts.ask.oneSuffices}</> : null}
        <ul>
          {shown.map((remedy, i) => (
            // The remedies of an answer keep their places.
            <li key={i}>{remedyText(remedy, entity)}</li>
          ))}
          {more > 0 ? <li className="dim">{texts.ask.otherRemedies(more)}</li> : null}
        </ul>
      </dd>
    </div>
  );
}

/** `Give “ada” the attribute #sea. This gives access to 1 pair.` */
function remedyText({ attributes, role, change }: Remedy, entity: SideOfMissProps['entity']) {
  const what = attributes
    ? texts.ask.giveAttributes(entity.name, attributes.map((name) => `#${name}`).join(', '))
    : texts.ask.addRole(roleText(role ?? '', entity));
  return `${what} ${texts.effect(change.gained, change.lost)}`;
}
