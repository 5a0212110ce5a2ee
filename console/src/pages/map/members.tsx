import { AccessMapMembers, type AccessMapMembersResult } from '../../emitted/operations.js';
import { askPartly } from '../../graph/ask.js';
import { useRows, type PartWanted, type RowsPart } from '../../graph/use-rows.js';
import { EntityLink } from '../../parts/entity-link.js';
import { LongTable, type Column } from '../../parts/long-table.js';
import { texts } from '../../texts.js';
import type { MapVariables } from './map-search.js';
import { typeOfKind } from './map-words.js';

type Member = NonNullable<AccessMapMembersResult['accessMapClass']>['members']['nodes'][number];

interface MembersProps {
  readonly nodeKey: string;
  readonly variables: MapVariables;
  /** Grows when the map is read again. */
  readonly round: number;
}

/** The members of a node, in pages; each leads to its own page. */
export function Members({ nodeKey, variables, round }: MembersProps) {
  const key = `members ${nodeKey} ${JSON.stringify(variables)} ${String(round)}`;
  const rows = useRows(key, (part) => readMembers(nodeKey, variables, part));
  return <LongTable label={texts.map.members} columns={COLUMNS} rows={rows} />;
}

async function readMembers(
  key: string,
  variables: MapVariables,
  { offset, first, signal }: PartWanted,
): Promise<RowsPart<Member>> {
  const wanted = { ...variables, key, first, offset };
  const { data, failures } = await askPartly(AccessMapMembers, wanted, { signal });
  const [failure] = failures;
  if (!data?.accessMapClass && failure) throw failure;
  return data?.accessMapClass?.members ?? { totalCount: 0, nodes: [] };
}

const COLUMNS: readonly Column<Member>[] = [
  {
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
  },
];
