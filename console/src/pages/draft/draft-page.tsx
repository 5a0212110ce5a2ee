import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { kindOfType } from '../../description/fields.js';
import {
  clearDraft,
  openLink,
  useDraft,
  type DraftChange,
  type OpenedLink,
} from '../../draft/draft.js';
import { modelChanges, withNames } from '../../draft/model-changes.js';
import { createdNames, namedEntities } from '../../draft/named-members.js';
import { useChangeStates } from '../../draft/use-change-states.js';
import { Simulate } from '../../emitted/operations.js';
import { useAnswer } from '../../graph/use-answer.js';
import { useChangeRounds } from '../../graph/use-change-rounds.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { PageHeading } from '../../parts/page-heading.js';
import { useNames } from '../../parts/use-names.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import { ApplyForm } from './apply-form.js';
import { ChangePanel } from './change-panel.js';
import { CopyLink } from './copy-link.js';
import { DraftFiles } from './draft-files.js';
import { Effect } from '../../parts/effect.js';

/** The changes of the draft, and beside them what they would do. */
export function DraftPage() {
  const link = useOpenedLink();
  const changes = useDraft();
  const [applied, setApplied] = useState(0);
  const [isApplying, setApplying] = useState(false);
  const rounds = useRoundsBetween(isApplying);
  const isEmpty = changes.length === 0;
  // It is about the changes before.
  useEffect(() => {
    if (!isEmpty) setApplied(0);
  }, [isEmpty]);
  return (
    <div className="stack">
      <PageHeading text={texts.pages.draft} />
      <LinkNotice link={link} />
      <DraftFiles
        changes={changes}
        begin={() => {
          setApplied(0);
        }}
      />
      {applied > 0 && isEmpty ? (
        <div className="notice good" role="status">
          {texts.draft.applied(applied)}
        </div>
      ) : null}
      {isEmpty ? (
        <div className="dim">{texts.draft.empty}</div>
      ) : (
        <div className="grid">
          <Changes
            changes={changes}
            rounds={rounds}
            setApplying={setApplying}
            finish={setApplied}
          />
          <SimulatedEffect changes={changes} rounds={rounds} isApplying={isApplying} />
        </div>
      )}
    </div>
  );
}

/** Counts the changes of the network. Those that the page makes itself would seem to come from others. */
function useRoundsBetween(isApplying: boolean): number {
  const rounds = useChangeRounds();
  const [latest, setLatest] = useState(rounds);
  useEffect(() => {
    if (!isApplying) setLatest(rounds);
  }, [rounds, isApplying]);
  return latest;
}

/** A link to a draft opens it in this tab, and leaves the address. Gives what the link had. */
function useOpenedLink(): OpenedLink | undefined {
  const [link, setLink] = useState<OpenedLink>();
  useEffect(() => {
    const open = (): void => {
      const { hash, pathname } = window.location;
      if (hash.length <= 1) return;
      setLink(openLink(hash.slice(1)));
      window.history.replaceState(window.history.state, '', pathname);
    };
    open();
    // The page is already there when somebody pastes the link into its address.
    window.addEventListener('hashchange', open);
    return () => {
      window.removeEventListener('hashchange', open);
    };
  }, []);
  return link;
}

/** Says what of a link could not be read. */
function LinkNotice({ link }: { link: OpenedLink | undefined }) {
  const { total = 0, unreadable = 0 } = link ?? {};
  if (!link || (total > 0 && unreadable === 0)) return null;
  const isNothing = unreadable === total;
  return (
    <div className="notice warn" role="alert">
      {isNothing ? texts.draft.link.unreadable : texts.draft.link.partly(unreadable, total)}
    </div>
  );
}

type May = ReturnType<typeof useMay>;

interface DraftProps {
  readonly changes: readonly DraftChange[];
  /** Grows when the network changes. */
  readonly rounds: number;
}

interface ChangesProps extends DraftProps {
  readonly setApplying: (isApplying: boolean) => void;
  /** Takes the number of changes that were made. */
  readonly finish: (count: number) => void;
}

function Changes({ changes, rounds, setApplying, finish }: ChangesProps) {
  const may = useMay();
  const { stateOf, presentOf, failure } = useChangeStates(changes, rounds);
  const namingOf = useNames(namedEntities(changes, presentOf), rounds, createdNames(changes));
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
        <ApplyForm
          changes={changes}
          moved={moved.length}
          setApplying={setApplying}
          finish={finish}
        />
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

const MAX_NAMES = 5;

function namesOf(changes: readonly DraftChange[]): string {
  const names = changes.slice(0, MAX_NAMES).map(({ name }) => `“${name}”`);
  const more = changes.length - names.length;
  return [...names, ...(more > 0 ? [texts.draft.file.more(more)] : [])].join(', ');
}

interface EffectProps extends DraftProps {
  readonly isApplying: boolean;
}

/** The controller simulates changes for those who may read all kinds of their entities. */
function SimulatedEffect(props: EffectProps) {
  const may = useMay();
  const hidden = props.changes.filter(({ type }) => !may('Query', kindOfType(type)?.list));
  if (hidden.length > 0) {
    return <div className="notice warn">{texts.draft.mayNotSimulate(namesOf(hidden))}</div>;
  }
  if (may('Query', 'simulate')) return <ReadableEffect {...props} />;
  return <div className="notice warn">{texts.draft.mayNotReadAccess}</div>;
}

/** The effect of the changes on the present network. While they are made, there is none to find. */
function ReadableEffect({ changes, rounds, isApplying }: EffectProps) {
  const { data, failure, isLoading, reload } = useAnswer(
    Simulate,
    { changes: modelChanges(changes) },
    { when: !isApplying },
  );
  // It takes an analysis, so one is finished before the next begins.
  const simulated = useRef(rounds);
  useEffect(() => {
    if (isLoading || simulated.current === rounds) return;
    simulated.current = rounds;
    reload();
  }, [rounds, isLoading, reload]);
  return (
    <div className="stack" aria-busy={isLoading}>
      <FailureNotice failure={failure?.saying(withNames(failure.message, changes))} />
      {data?.simulate ? <Effect simulation={data.simulate} /> : null}
      {isLoading ? <div className="dim">{texts.loading}</div> : null}
    </div>
  );
}
