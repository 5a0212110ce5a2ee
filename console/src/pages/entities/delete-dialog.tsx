import { Button } from '@mantine/core';
import type { Kind } from '../../description/description.js';
import type { Row } from '../../description/documents.js';
import { addToDraft, type DraftChange } from '../../draft/draft.js';
import { modelChanges, withNames } from '../../draft/model-changes.js';
import { Simulate } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import type { Failure } from '../../graph/failure.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { useAnswer } from '../../graph/use-answer.js';
import { Dialog } from '../../parts/dialog.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { RuleOverride } from '../../parts/rule-override.js';
import { useNavigateIfShown } from '../../parts/use-navigate-if-shown.js';
import { textOfValue } from '../../parts/value.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import { Effect } from '../../parts/effect.js';
import { deleteOperation } from './form-operations.js';

interface DeleteDialogProps {
  readonly kind: Kind;
  readonly entity: Row;
  readonly close: () => void;
}

/** Asks before a deletion, and shows which access would end with it. */
export function DeleteDialog({ kind, entity, close }: DeleteDialogProps) {
  const { isBusy, failure, attempt } = useAttempt();
  const navigate = useNavigateIfShown();
  const may = useMay();
  const { id, revision } = entity;
  const name = textOfValue(entity.name ?? id);
  const change = deletionOf(kind, entity, name);
  const isSimulated = kind.isDrafted === true && may('Query', 'simulate');
  const remove = async (overrideReason?: string): Promise<void> => {
    await ask(deleteOperation(kind), { id, ifRevision: Number(revision) }, { overrideReason });
    await navigate({ to: '/entities/$list', params: { list: kind.list } });
  };
  return (
    <Dialog
      close={() => {
        if (!isBusy) close();
      }}
      title={texts.form.deleteTitle(name)}
      size="lg"
    >
      <div className="stack">
        {isSimulated ? <DeletionEffect change={change} refusal={failure} /> : null}
        <FailureNotice failure={failure} />
        <RuleOverride
          failure={failure}
          override={(reason) => {
            attempt(() => remove(reason));
          }}
        />
        <div className="row end">
          {isSimulated ? (
            <Button
              variant="default"
              onClick={() => {
                addToDraft(change);
                void navigate({ to: '/draft' });
              }}
            >
              {texts.form.draft}
            </Button>
          ) : null}
          <Button
            color="red"
            loading={isBusy}
            onClick={() => {
              attempt(() => remove());
            }}
          >
            {texts.form.remove}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

const deletionOf = ({ type }: Kind, { id, revision }: Row, name: string): DraftChange => ({
  operation: 'delete',
  type,
  id,
  name,
  input: undefined,
  revision: Number(revision),
});

/** The buttons stay in view below them. */
const SHOWN_PAIRS = 5;

interface DeletionEffectProps {
  readonly change: DraftChange;
  /** Why the deletion was refused, once it was asked for: the dialog says it, so the effect does not. */
  readonly refusal: Failure | undefined;
}

function DeletionEffect({ change, refusal }: DeletionEffectProps) {
  const { data, failure } = useAnswer(Simulate, { changes: modelChanges([change]) });
  if (failure) {
    return refusal ? null : (
      <FailureNotice failure={failure.saying(withNames(failure.message, [change]))} />
    );
  }
  return data?.simulate ? (
    <Effect
      simulation={data.simulate}
      most={SHOWN_PAIRS}
      isRefused={refusal?.isOfAccessRules === true}
    />
  ) : (
    <div className="dim">{texts.loading}</div>
  );
}
