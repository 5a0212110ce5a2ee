import { getRouteApi } from '@tanstack/react-router';
import { description } from '../../description/description.js';
import { useChangeRounds } from '../../graph/use-change-rounds.js';
import { PageHeading } from '../../parts/page-heading.js';
import { texts } from '../../texts.js';
import { FilterField } from '../../parts/filter-field.js';
import { ChangeTable } from '../../parts/changes/change-table.js';

const route = getRouteApi('/changes');

/** The change log, to which new changes are added as they happen. */
export function ChangesPage() {
  const { filter } = route.useSearch();
  const navigate = route.useNavigate();
  const round = useChangeRounds();
  const kind = description.kinds.Change;
  return (
    <div className="stack fill">
      <div className="head">
        <PageHeading text={texts.pages.changes} />
        {kind ? (
          <FilterField
            kind={kind}
            nameField="entityName"
            filter={filter}
            setFilter={(next) => {
              void navigate({ search: { filter: next }, replace: true });
            }}
          />
        ) : null}
      </div>
      <ChangeTable label={texts.pages.changes} filter={filter} round={round} />
    </div>
  );
}
