import { getRouteApi } from '@tanstack/react-router';
import { wordsOf, wordsOfValue } from '../../description/names.js';
import { Search, type SearchResult } from '../../emitted/operations.js';
import { askPartly } from '../../graph/ask.js';
import { useRows, type PartWanted, type RowsPart } from '../../graph/use-rows.js';
import { EntityLink } from '../../parts/entity-link.js';
import { LongTable, type Column } from '../../parts/long-table.js';
import { PageHeading } from '../../parts/page-heading.js';
import { texts } from '../../texts.js';

const route = getRouteApi('/search');

type Hit = NonNullable<SearchResult['search']>['nodes'][number];

/** The entities of all kinds that a text finds, the best ones first. */
export function SearchPage() {
  const { text = '' } = route.useSearch();
  return (
    <div className="stack fill">
      <PageHeading text={texts.search.title(text)} />
      {text.trim() === '' ? <div className="dim">{texts.search.help}</div> : <Hits text={text} />}
    </div>
  );
}

function Hits({ text }: { text: string }) {
  const rows = useRows(`search ${text}`, (part) => readHits(text, part));
  return <LongTable label={texts.search.title(text)} columns={COLUMNS} rows={rows} />;
}

async function readHits(
  text: string,
  { offset, first, signal }: PartWanted,
): Promise<RowsPart<Hit>> {
  const { data, failures } = await askPartly(Search, { text, first, offset }, { signal });
  const [failure] = failures;
  if (!data?.search && failure) throw failure;
  return data?.search ?? { totalCount: 0, nodes: [] };
}

const COLUMNS: readonly Column<Hit>[] = [
  {
    name: 'name',
    title: texts.search.name,
    width: 'minmax(12rem, 2fr)',
    show: ({ type, entityId, name }) => <EntityLink type={type} id={entityId} name={name} />,
  },
  {
    name: 'type',
    title: texts.search.type,
    width: 'minmax(9rem, 1fr)',
    show: ({ type }) => wordsOf(type),
  },
  {
    name: 'match',
    title: texts.search.match,
    width: 'minmax(12rem, 2fr)',
    show: ({ matchedBy, matchedText, tag }) => (
      <>
        <span className="tag">{wordsOfValue(matchedBy)}</span>{' '}
        {tag === null ? matchedText : `${tag}: ${matchedText}`}
      </>
    ),
  },
];
