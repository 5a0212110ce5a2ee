import { AccessMapMembers, type AccessMapMembersResult } from '../../emitted/operations.js';
import { askPartly } from '../../graph/ask.js';
import { useRows, type PartWanted, type RowsPart } from '../../graph/use-rows.js';
import { EntityLink } from '../../parts/entity-link.js';
import { LongTable, type Column } from '../../parts/long-table.js';
import { texts } from '../../texts.js';
import { typeOfKind } from './map-words.js';
import type { MapVariables } from './map-variables.js';

type Member = NonNullable<AccessMapMembersResult['accessMapClass']>['members']['nodes'][number];

interface MembersProps {
  readonly nodeKey: string;
  readonly variables: MapVariables;
  /** Whether to tell who fails posture checks. */
  readonly hasPosture: boolean;
  /** Grows when the map is read again. */
  readonly round: number;
  /** Makes a member the end of paths; undefined where it can not be one. */
  readonly choose: ((id: string) => void) | undefined;
}

/** The members of a node, in pages; each leads to its own page. */
export function Members(props: MembersProps) {
  const { nodeKey, variables, hasPosture, round } = props;
  const key = `members ${nodeKey} ${JSON.stringify([variables, hasPosture])} ${String(round)}`;
  const rows = useRows(key, (part) => readMembers(nodeKey, { ...variables, hasPosture }, part));
  return <LongTable label={texts.map.members} columns={columnsOf(props)} rows={rows} />;
}

/** The first member of a node; undefined when the node is gone. */
export async function firstMember(
  key: string,
  variables: MapVariables,
): Promise<string | undefined> {
  const { signal } = new AbortController();
  const wanted = { ...variables, hasPosture: false };
  const { nodes } = await readMembers(key, wanted, { offset: 0, first: 1, signal });
  return nodes[0]?.entityId;
}

async function readMembers(
  key: string,
  variables: MapVariables & Pick<MembersProps, 'hasPosture'>,
  { offset, first, signal }: PartWanted,
): Promise<RowsPart<Member>> {
  const wanted = { ...variables, key, first, offset };
  const { data, failures } = await askPartly(AccessMapMembers, wanted, { signal });
  const [failure] = failures;
  if (!data?.accessMapClass && failure) throw failure;
  return data?.accessMapClass?.members ?? { totalCount: 0, nodes: [] };
}

const NAME: Column<Member> = {
  name: 'name',
  title: texts.map.memberName,
  width: 'minmax(10rem, 1fr)',
  // A member of the past may be gone.
  show: ({ entity, entityId, kind, name }) =>
    entity === null ? (
      (name ?? entityId)
    ) : (
      <EntityLink type={typeOfKind(kind)} id={entityId} name={name} />
    ),
};

const POSTURE: Column<Member> = {
  name: 'posture',
  title: texts.map.looks.posture,
  width: '8rem',
  show: ({ failsPosture }) => {
    if (typeof failsPosture !== 'boolean') return texts.map.posture.notJudged;
    return (
      <span className={`tag ${failsPosture ? 'bad' : 'good'}`}>
        {failsPosture ? texts.map.posture.fails : texts.map.posture.passes}
      </span>
    );
  },
};

function columnsOf({ choose, hasPosture }: MembersProps): readonly Column<Member>[] {
  const columns = hasPosture ? [NAME, POSTURE] : [NAME];
  if (!choose) return columns;
  return [
    ...columns,
    {
      name: 'paths',
      title: texts.map.paths,
      width: '5rem',
      show: ({ entityId, name }) => (
        <button
          type="button"
          className="link"
          aria-label={texts.map.chooseMember(name ?? entityId)}
          onClick={() => {
            choose(entityId);
          }}
        >
          {texts.map.choose}
        </button>
      ),
    },
  ];
}
