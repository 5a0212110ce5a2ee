import { Button, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { kindOfType } from '../../description/fields.js';
import { wordsOf } from '../../description/names.js';
import {
  clearDraft,
  linkOf,
  openLink,
  removeFromDraft,
  useDraft,
  type DraftChange,
} from '../../draft/draft.js';
import { ifRevisions, modelChanges } from '../../draft/model-changes.js';
import { ApplyDraft, Simulate } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { useAnswer } from '../../graph/use-answer.js';
import { EntityLink } from '../../parts/entity-link.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Json } from '../../parts/value.js';
import { useMay } from '../../shell/caller-context.js';
import { texts } from '../../texts.js';
import { Effect } from './effect.js';

/** The changes of the draft, and beside them what they would do. */
export function DraftPage() {
  useOpenedLink();
  const changes = useDraft();
  const [applied, setApplied] = useState(0);
  return (
    <div className="stack">
      <h1>{texts.pages.draft}</h1>
      {applied > 0 && changes.length === 0 ? (
        <div className="notice good" role="status">
          {texts.draft.applied(applied)}
        </div>
      ) : null}
      {changes.length === 0 ? (
        <div className="dim">{texts.draft.empty}</div>
      ) : (
        <div className="grid">
          <Changes changes={changes} finish={setApplied} />
          <SimulatedEffect changes={changes} />
        </div>
      )}
    </div>
  );
}

/** A link to a draft opens it in this tab, and leaves the address. */
function useOpenedLink(): void {
  useEffect(() => {
    if (openLink(window.location.hash.slice(1))) {
      window.history.replaceState(window.history.state, '', window.location.pathname);
    }
  }, []);
}

interface ChangesProps {
  readonly changes: readonly DraftChange[];
  /** Takes the number of changes that were made. */
  readonly finish: (count: number) => void;
}

function Changes({ changes, finish }: ChangesProps) {
  const may = useMay();
  return (
    <div className="stack">
      {changes.map((change, index) => (
        <ChangePanel
          key={`${change.type} ${change.id ?? ''} ${change.name}`}
          change={change}
          remove={() => {
            removeFromDraft(index);
          }}
        />
      ))}
      {may('Mutation', 'applyChanges') ? <Apply changes={changes} finish={finish} /> : null}
      <div className="row">
        <Button
          variant="default"
          onClick={() => {
            const { origin, pathname } = window.location;
            void navigator.clipboard.writeText(`${origin}${pathname}#${linkOf(changes)}`);
          }}
        >
          {texts.draft.copyLink}
        </Button>
        <Button variant="subtle" color="red" onClick={clearDraft}>
          {texts.draft.clear}
        </Button>
      </div>
    </div>
  );
}

const TONES = { create: 'good', replace: 'info', update: 'info', delete: 'bad' } as const;

function ChangePanel({ change, remove }: { change: DraftChange; remove: () => void }) {
  const { operation, type, id, name, input } = change;
  const kind = kindOfType(type);
  return (
    <section className="panel" aria-label={`${wordsOf(operation)} ${name}`}>
      <header>
        <span className={`tag ${TONES[operation]}`}>{wordsOf(operation)}</span>
        <span className="grow">
          {kind ? wordsOf(kind.type) : type}{' '}
          {id === undefined ? <b>{name}</b> : <EntityLink type={type} id={id} name={name} />}
        </span>
        <Button variant="subtle" aria-label={texts.draft.removeChange(name)} onClick={remove}>
          {texts.draft.remove}
        </Button>
      </header>
      {input === undefined ? null : (
        <dl className="attributes inner">
          {Object.entries(input).map(([member, value]) => (
            <div key={member}>
              <dt>{wordsOf(member)}</dt>
              <dd>
                <Json value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

function Apply({ changes, finish }: ChangesProps) {
  const [reason, setReason] = useState('');
  const { isBusy, failure, attempt } = useAttempt();
  const apply = async (): Promise<void> => {
    await ask(ApplyDraft, {
      changes: modelChanges(changes),
      ifRevisions: ifRevisions(changes),
      reason: reason.trim() === '' ? undefined : reason.trim(),
    });
    finish(changes.length);
    clearDraft();
  };
  return (
    <form
      className="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        attempt(apply);
      }}
    >
      <TextInput
        label={texts.draft.reason}
        description={texts.draft.reasonHelp}
        value={reason}
        onChange={(event) => {
          setReason(event.currentTarget.value);
        }}
      />
      {failure?.code === 'REVISION_CONFLICT' ? (
        <div className="notice warn">{texts.draft.baseMoved}</div>
      ) : null}
      <FailureNotice failure={failure} />
      <div>
        <Button type="submit" loading={isBusy}>
          {texts.draft.apply(changes.length)}
        </Button>
      </div>
    </form>
  );
}

function SimulatedEffect({ changes }: { changes: readonly DraftChange[] }) {
  const { data, failure, isLoading } = useAnswer(Simulate, { changes: modelChanges(changes) });
  return (
    <div className="stack" aria-busy={isLoading}>
      <FailureNotice failure={failure} />
      {data?.simulate ? <Effect simulation={data.simulate} /> : null}
      {isLoading ? <div className="dim">{texts.loading}</div> : null}
    </div>
  );
}
