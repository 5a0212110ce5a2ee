import { getRouteApi } from '@tanstack/react-router';
import { PageHeading } from '../../parts/page-heading.js';
import { texts } from '../../texts.js';
import { FindingDialog } from './finding-dialog.js';
import { FindingFilters } from './finding-filters.js';
import { FindingTable } from './finding-table.js';
import type { FindingsSearch } from '../../addresses/findings-search.js';
import { useFindings } from './use-findings.js';

const route = getRouteApi('/findings');

/** Facts about the network that are probably not intended, the worst first. */
export function FindingsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { kinds, severities, muted = false, open } = search;
  const state = useFindings({ kinds, severities, isMutedWanted: muted });
  const { all, failure, isLoading, reload } = state;
  const change = (changed: FindingsSearch): void => {
    void navigate({
      search: (before: FindingsSearch) => ({ ...before, ...changed }),
      replace: true,
    });
  };
  return (
    <div className="stack fill">
      <PageHeading text={texts.pages.findings} />
      <FindingFilters search={search} change={change} />
      {all && all.findings.length < all.total ? (
        <div className="notice warn">{texts.findings.notAll(all.findings.length, all.total)}</div>
      ) : null}
      <FindingTable
        findings={all?.findings}
        failure={failure}
        isLoading={isLoading}
        open={(id) => {
          change({ open: id });
        }}
      />
      <FindingDialog
        // A list that could not be read says nothing about one of its findings.
        id={all || !failure ? open : undefined}
        finding={all?.findings.find(({ findingId }) => findingId === open)}
        isLoading={isLoading}
        close={() => {
          change({ open: undefined });
        }}
        reload={reload}
      />
    </div>
  );
}
