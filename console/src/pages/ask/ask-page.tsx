import { getRouteApi } from '@tanstack/react-router';
import { PageHeading } from '../../parts/page-heading.js';
import { texts } from '../../texts.js';
import { useMay } from '../../graph/caller-context.js';
import type { AskSearch } from '../../addresses/ask-search.js';
import { PairAnswer } from './pair-answer.js';
import { QuestionForm } from './question-form.js';
import { ReachTable } from './reach-table.js';
import { SinceWhen } from './since-when.js';

const route = getRouteApi('/ask');

/** Why an identity reaches a service or not, who reaches a service, and what an identity reaches. */
export function AskPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <div className="stack fill">
      <PageHeading text={texts.pages.ask} />
      <QuestionForm
        search={search}
        change={(changed) => {
          void navigate({ search: (before: AskSearch) => ({ ...before, ...changed }) });
        }}
      />
      <Answer search={search} />
    </div>
  );
}

function Answer({ search }: { search: AskSearch }) {
  const may = useMay();
  const { identity, service, type, at } = search;
  if (identity === undefined && service === undefined) {
    return <div className="dim">{texts.ask.help}</div>;
  }
  if (identity === undefined || service === undefined) {
    return <ReachTable identityId={identity} serviceId={service} type={type} at={at} />;
  }
  const pair = { identityId: identity, serviceId: service, type: type ?? 'Dial' } as const;
  const key = JSON.stringify(pair);
  return (
    <div className="stack">
      <PairAnswer key={`${key} ${at ?? ''}`} pair={pair} at={at} />
      {may('Subscription', 'accessChanges') ? (
        <SinceWhen key={`since ${key}`} pair={pair} isWanted={search.since === true} />
      ) : null}
    </div>
  );
}
