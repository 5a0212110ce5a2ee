import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { kindOfType } from '../../description/fields.js';
import { clearDraft, openLink, useDraft, type DraftChange } from '../../draft/draft.js';
import { modelChanges } from '../../draft/model-changes.js';
import { namedEntities } from '../../draft/named-members.js';
import { useChangeStates } from '../../draft/use-change-states.js';
import { Simulate } from '../../emitted/operations.js';
import { useAnswer } from '../../graph/use-answer.js';
import { useChangeRounds } from '../../graph/use-change-rounds.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { useNames } from '../../parts/use-names.js';
import { useMay } from '../../shell/caller-context.js';
import { texts } from '../../texts.js';
import { ApplyForm } from './apply-form.js';
import { ChangePanel } from './change-panel.js';
import { CopyLink } from './copy-link.js';
import { DraftFiles } from './draft-files.js';
import { Effect } from './effect.js';

/** The changes of the draft, and beside them what they would do. */
export function DraftPage() {
  useOpenedLink();
  const changes = useDraft();
  const rounds = useChangeRounds();
  const [applied, setApplied] = useState(0);
  return (
    <div className="stack">
      <h1>{texts.pages.draft}</h1>
      <DraftFiles changes={changes} />
      {applied > 0 && changes.length === 0 ? (
        <div className="notice good" role="status">
          {texts.draft.applied(applied)}
        </div>
      ) : null}
      {changes.length === 0 ? (
        <div className="dim">{texts.draft.empty}</div>
      ) : (
        <div className="grid">
          <Changes changes={changes} rounds={rounds} finish={setApplied} />
          <SimulatedEffect changes={changes} rounds={rounds} />
        </div>
      )}
    </div>
  );
}

/** A link to a draft opens it in this tab, and leaves the address. */
function useOpenedLink(): void {
  useEffect(() => {
    const open = (): void => {
      if (openLink(window.location.hash.slice(1))) {
        window.history.replaceState(window.history.state, '', window.location.pathname);
      }
    };
    open();
    // The page is already there when somebody pastes the link into its address.
    window.addEventListener('hashchange', open);
    return () => {
      window.removeEventListener('hashchange', open);
    };
  }, []);
}

type May = ReturnType<typeof useMay>;

interface DraftProps {
  readonly changes: readonly DraftChange[];
  /** Grows when the network changes. */
  readonly rounds: number;
}

interface ChangesProps extends DraftProps {
  /** Takes the number of changes that were made. */
  readonly finish: (count: number) => void;
}

function Changes({ changes, rounds, finish }: ChangesProps) {
  const may = useMay();
  const { stateOf, presentOf, failure } = useChangeStates(changes, rounds);
  const namingOf = useNames(namedEntities(changes, presentOf), rounds);
  const refused = changes.filter((change) => !mayMake(may, change));
  const moved = changes.filter((change) => ['moved', 'gone'].includes(stateOf(change).is));
  return (
    <div className="stack">
      <FailureNotice failure={failure} />
      {changes.map((change, i) => (
        // New entities have no ids, and may have equal names.
        <ChangePanel
          key={i}
          change={change}
          state={stateOf(change)}
          present={presentOf(change)}
          namingOf={namingOf}
        />
      ))}
      {refused.length > 0 ? (
        <div className="notice warn">{texts.draft.mayNotMake(namesOf(refused))}</div>
      ) : (
        <ApplyForm changes={changes} moved={moved.length} finish={finish} />
      )}
      <div className="row">
        <CopyLink changes={changes} />
        <Button variant="subtle" color="red" onClick={clearDraft}>
          {texts.draft.clear}
        </Button>
      </div>
    </div>
  );
}

const MUTATIONS = {
  create: 'create',
  replace: 'update',
  update: 'update',
  delete: 'remove',
} as const;

/** A link may have come from somebody with more permissions. */
const mayMake = (may: May, { operation, type }: DraftChange): boolean =>
  may('Mutation', kindOfType(type)?.[MUTATIONS[operation]]);

const MOST_NAMES = 5;

function namesOf(changes: readonly DraftChange[]): string {
  const names = changes.slice(0, MOST_NAMES).map(({ name }) => `“${name}”`);
  const more = changes.length - names.length;
  return [...names, ...(more > 0 ? [texts.draft.file.more(more)] : [])].join(', ');
}

/** The controller simulates changes for those who may read all kinds of their entities. */
function SimulatedEffect(props: DraftProps) {
  const may = useMay();
  const hidden = props.changes.filter(({ type }) => !may('Query', kindOfType(type)?.list));
  if (hidden.length > 0) {
    return <div className="notice warn">{texts.draft.mayNotSimulate(namesOf(hidden))}</div>;
  }
  if (may('Query', 'simulate')) return <ReadableEffect {...props} />;
  return <div className="notice warn">{texts.draft.mayNotReadAccess}</div>;
}

/** The effect of the changes on the present network. */
function ReadableEffect({ changes, rounds }: DraftProps) {
  const { data, failure, isLoading, reload } = useAnswer(Simulate, {
    changes: modelChanges(changes),
  });
  // It takes an analysis, so one is finished before the next begins.
  const simulated = useRef(rounds);
  useEffect(() => {
    if (isLoading || simulated.current === rounds) return;
    simulated.current = rounds;
    reload();
  }, [rounds, isLoading, reload]);
  return (
    <div className="stack" aria-busy={isLoading}>
      <FailureNotice failure={failure} />
      {data?.simulate ? <Effect simulation={data.simulate} /> : null}
      {isLoading ? <div className="dim">{texts.loading}</div> : null}
    </div>
  );
}
