import { Button, TagsInput, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Kind } from '../../description/description.js';
import type { Row } from '../../description/documents.js';
import { addAllToDraft, useDraft, type DraftChange } from '../../draft/draft.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { useIsLeft } from '../../graph/use-is-left.js';
import { Dialog } from '../../parts/dialog.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { texts } from '../../texts.js';
import {
  deletion,
  editedChange,
  hasRoles,
  leftOutOf,
  waitingChange,
  type BulkEdit,
} from './bulk-changes.js';
import { MAX_CHANGES, readSelected } from './read-selected.js';

interface BulkDialogProps {
  readonly kind: Kind;
  readonly ids: readonly string[];
  readonly close: () => void;
}

const NO_EDIT: BulkEdit = { addRoles: [], removeRoles: [], setTag: undefined, removeTags: [] };

/** Changes role attributes and tags of the selected entities, as a draft. */
export function BulkEditDialog(props: BulkDialogProps) {
  const { kind, ids, close } = props;
  const [edit, setEdit] = useState(NO_EDIT);
  const { isBusy, obstacle, failure, add } = useAddToDraft(props);
  return (
    <Dialog close={close} title={texts.bulk.editTitle(ids.length)} size="lg">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          add((entity, waiting) => editedChange(kind, entity, edit, waiting));
        }}
      >
        {hasRoles(kind) ? (
          <>
            <Texts label={texts.bulk.addRoles} name="addRoles" edit={edit} setEdit={setEdit} />
            <Texts
              label={texts.bulk.removeRoles}
              name="removeRoles"
              edit={edit}
              setEdit={setEdit}
            />
          </>
        ) : null}
        <TagFields edit={edit} setEdit={setEdit} />
        <Texts label={texts.bulk.removeTags} name="removeTags" edit={edit} setEdit={setEdit} />
        <Obstacle text={obstacle} />
        <FailureNotice failure={failure} />
        <div className="row end">
          <Button type="submit" loading={isBusy}>
            {texts.bulk.draft}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface EditProps {
  readonly edit: BulkEdit;
  readonly setEdit: (edit: BulkEdit) => void;
}

interface TextsProps extends EditProps {
  readonly label: string;
  readonly name: 'addRoles' | 'removeRoles' | 'removeTags';
}

function Texts({ label, name, edit, setEdit }: TextsProps) {
  return (
    <TagsInput
      label={label}
      value={[...edit[name]]}
      onChange={(entries) => {
        setEdit({ ...edit, [name]: entries });
      }}
      splitChars={[',']}
      // The controller distinguishes capital letters.
      isDuplicate={(tag, tags) => tags.includes(tag)}
    />
  );
}

/** One tag at a time; without a name there is none. */
function TagFields({ edit, setEdit }: EditProps) {
  const [name = '', value = ''] = edit.setTag ?? [];
  const set = (changed: string, to: string): void => {
    setEdit({ ...edit, setTag: changed === '' && to === '' ? undefined : [changed, to] });
  };
  return (
    <div className="row">
      <TextInput
        className="grow"
        label={texts.bulk.tagName}
        required={value !== ''}
        value={name}
        onChange={(event) => {
          set(event.currentTarget.value, value);
        }}
      />
      <TextInput
        className="grow"
        label={texts.bulk.tagValue}
        value={value}
        onChange={(event) => {
          set(name, event.currentTarget.value);
        }}
      />
    </div>
  );
}

/** Deletes the selected entities, as a draft. */
export function BulkDeleteDialog(props: BulkDialogProps) {
  const { kind, ids, close } = props;
  const { isBusy, obstacle, failure, add } = useAddToDraft(props);
  return (
    <Dialog close={close} title={texts.bulk.removeTitle(ids.length)} size="lg">
      <div className="stack">
        <div>{texts.bulk.removeHelp}</div>
        <Obstacle text={obstacle} />
        <FailureNotice failure={failure} />
        <div className="row end">
          <Button
            color="red"
            loading={isBusy}
            onClick={() => {
              add(
                (entity) => deletion(kind, entity),
                (entities) => leftOutOf(kind, entities),
              );
            }}
          >
            {texts.bulk.draft}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function Obstacle({ text }: { text: string | undefined }) {
  return text === undefined ? null : (
    <div className="notice warn" role="status">
      {text}
    </div>
  );
}

type MakeChange = (entity: Row, waiting: DraftChange | undefined) => DraftChange | undefined;

/** Says what is left out of the changes; it is told once before the others are added. */
type TellLeftOut = (entities: readonly Row[]) => string | undefined;

/** Reads the selected entities as they are now, and adds a change of each to the draft. */
function useAddToDraft({ kind, ids }: BulkDialogProps) {
  const draft = useDraft();
  const navigate = useNavigate();
  const [obstacle, setObstacle] = useState<string>();
  const { isBusy, failure, attempt } = useAttempt();
  const isLeft = useIsLeft();
  const add = (make: MakeChange, tellLeftOut?: TellLeftOut): void => {
    attempt(async () => {
      const entities = await readSelected(kind, ids);
      // The dialog may have been closed meanwhile.
      if (isLeft()) return;
      const changes = entities.flatMap(
        (entity) => make(entity, waitingChange(draft, kind.type, entity.id)) ?? [],
      );
      const leftOut = tellLeftOut?.(entities);
      const hasNoOther = leftOut === undefined || (leftOut === obstacle && changes.length > 0);
      const present = hasNoOther ? obstacleOf(draft, changes) : leftOut;
      setObstacle(present);
      if (present !== undefined) return;
      addAllToDraft(changes);
      await navigate({ to: '/draft' });
    });
  };
  return { isBusy, obstacle, failure, add };
}

function obstacleOf(
  draft: readonly DraftChange[],
  changes: readonly DraftChange[],
): string | undefined {
  if (changes.length === 0) return texts.bulk.nothing;
  const added = changes.filter(({ type, id = '' }) => !waitingChange(draft, type, id));
  const count = draft.length + added.length;
  return count > MAX_CHANGES ? texts.bulk.tooMany(count, MAX_CHANGES) : undefined;
}
