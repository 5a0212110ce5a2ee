import { Button, Select } from '@mantine/core';
import { useRef, useState } from 'react';
import { wordsOfValue } from '../../description/names.js';
import { DecideReview, FinishReview, ReviewState } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAnswer } from '../../graph/use-answer.js';
import { useQueue } from '../../graph/use-queue.js';
import { FailureNotice } from '../failure-notice.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import { DecisionDialog, type DecidedLine } from './decision-dialog.js';
import { LineTable } from './line-table.js';
import { exportReview } from './export-review.js';
import { allLines, type Decision, type DecisionMembers, type Line } from './read-lines.js';
import { Revocation } from './revocation.js';

/** The lines of a review: what is decided, the rest, and what follows from it. */
export function ReviewLines({ id }: { id: string }) {
  const [only, setOnly] = useState<Decision>();
  const [opened, setOpened] = useState<DecidedLine>();
  const review = useReview(id);
  const { state, isOpen, round, failure, change } = review;
  // A line has a new decision only after the table was read again, which makes another object of it.
  const storedDecisions = useRef(new WeakMap<Line, Decision>());
  if (!state) return <div className="dim">{texts.loading}</div>;
  const decide = (line: Line, decision: Decision): Promise<void> => {
    return change(async () => {
      await store(id, [line], decision);
      storedDecisions.current.set(line, decision);
    });
  };
  const decisionOf = (line: Line): Decision => storedDecisions.current.get(line) ?? line.decision;
  const open = (line: Line): void => {
    setOpened({ line, decision: decisionOf(line) });
  };
  return (
    <div className="stack">
      <div className="row">
        <span>{texts.reviews.progress(state.lineCount, state.undecidedCount)}</span>
        <Filter only={only} choose={setOnly} />
        <Actions id={id} review={review} />
      </div>
      <FailureNotice failure={failure} />
      {state.revokeCount > 0 ? <Revocation id={id} round={round} /> : null}
      <LineTable
        id={id}
        decision={only}
        round={round}
        decide={isOpen ? decide : undefined}
        open={isOpen ? open : undefined}
      />
      {opened ? (
        <DecisionDialog
          {...opened}
          close={() => {
            setOpened(undefined);
          }}
          save={(members) =>
            change(() => store(id, [opened.line], decisionOf(opened.line), members))
          }
        />
      ) : null}
    </div>
  );
}

type Review = ReturnType<typeof useReview>;

/** The state of a review, and how it is changed. */
function useReview(id: string) {
  const [round, setRound] = useState(0);
  const { data, reload } = useAnswer(ReviewState, { id });
  const { isBusy, failure, enqueue } = useQueue();
  const mayDecide = useMay()('Mutation', 'decideAccessReview');
  const state = data?.accessReview;
  const change = (work: () => Promise<unknown>): Promise<void> =>
    enqueue(async () => {
      await work();
      setRound((count) => count + 1);
      reload();
    });
  /** The page shows the failure. */
  const attempt = (work: () => Promise<void>): void => {
    enqueue(work).catch(() => undefined);
  };
  const finish = (): void => {
    attempt(async () => {
      await ask(FinishReview, { id });
      reload();
    });
  };
  return {
    state,
    isOpen: state?.state === 'OPEN' && mayDecide,
    isBusy,
    failure,
    /** Grows when decisions were stored; the end of a review changes none. */
    round,
    change,
    finish,
    attempt,
  };
}

/** What can be done with the review as a whole. */
function Actions({ id, review }: { id: string; review: Review }) {
  const { state, isOpen, isBusy, change, finish, attempt } = review;
  const undecidedCount = state?.undecidedCount ?? 0;
  return (
    <>
      {isOpen && undecidedCount > 0 ? (
        <DecideRest
          isBusy={isBusy}
          decideRest={(decision) => {
            change(() => decideRest(id, decision)).catch(() => undefined);
          }}
        />
      ) : null}
      {isOpen && undecidedCount === 0 ? (
        <Button loading={isBusy} onClick={finish}>
          {texts.reviews.finish}
        </Button>
      ) : null}
      {(['csv', 'json'] as const).map((format) => (
        <Button
          key={format}
          variant="default"
          onClick={() => {
            attempt(() => exportReview(id, format));
          }}
        >
          {texts.reviews.export[format]}
        </Button>
      ))}
    </>
  );
}

const DECISIONS: readonly Decision[] = ['UNDECIDED', 'KEEP', 'REVOKE'];

interface FilterProps {
  readonly only: Decision | undefined;
  readonly choose: (only: Decision | undefined) => void;
}

function Filter({ only, choose }: FilterProps) {
  return (
    <Select
      aria-label={texts.reviews.only}
      placeholder={texts.reviews.all}
      value={only ?? null}
      data={DECISIONS.map((value) => ({ value, label: wordsOfValue(value) }))}
      clearable
      onChange={(value) => {
        choose(DECISIONS.find((each) => each === value));
      }}
    />
  );
}

interface DecideRestProps {
  readonly isBusy: boolean;
  readonly decideRest: (decision: Decision) => void;
}

function DecideRest({ isBusy, decideRest: decide }: DecideRestProps) {
  return (['KEEP', 'REVOKE'] as const).map((decision) => (
    <Button
      key={decision}
      variant="default"
      loading={isBusy}
      onClick={() => {
        decide(decision);
      }}
    >
      {texts.reviews.rest(wordsOfValue(decision))}
    </Button>
  ));
}

const store = (
  id: string,
  lines: readonly Line[],
  decision: Decision,
  members: DecisionMembers = {},
): Promise<unknown> =>
  ask(DecideReview, {
    id,
    decisions: lines.map(({ identityId, serviceId, type }) => ({
      identityId,
      serviceId,
      type,
      decision,
      ...members,
    })),
  });

/** Decides all lines without a decision. */
async function decideRest(id: string, decision: Decision): Promise<void> {
  for await (const lines of allLines({ id, decision: 'UNDECIDED' })) {
    if (lines.length > 0) await store(id, lines, decision);
  }
}
