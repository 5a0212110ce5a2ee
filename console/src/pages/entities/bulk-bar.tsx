import { Button } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { Kind } from '../../description/description.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import type { Order } from '../../parts/long-table.js';
import { texts } from '../../texts.js';
import type { OfferedBulk } from './bulk-changes.js';
import { BulkDeleteDialog, BulkEditDialog } from './bulk-dialogs.js';
import { MAX_CHANGES, readMatching, type Matching } from './read-selected.js';
import type { Selection } from './use-selection.js';

interface BulkBarProps {
  readonly kind: Kind;
  readonly offered: OfferedBulk;
  readonly selection: Selection;
  readonly filter: string | undefined;
  readonly order: Order | undefined;
}

/** Selects rows of a list, and leads to what can be done to them. */
export function BulkBar(props: BulkBarProps) {
  const { isBusy, failure, matching, selectAll } = useSelectAll(props);
  const hasSome = props.selection.ids.size > 0;
  return (
    <div className="stack tight">
      <div className="row">
        <Button variant="default" loading={isBusy} onClick={selectAll}>
          {texts.bulk.all}
        </Button>
        {hasSome ? <SelectedActions {...props} /> : null}
      </div>
      {hasSome && matching && matching.totalCount > MAX_CHANGES ? (
        <div className="notice" role="status">
          {texts.bulk.notAll(matching.ids.length, matching.totalCount)}
        </div>
      ) : null}
      <FailureNotice failure={failure} />
    </div>
  );
}

function useSelectAll({ kind, filter, order, selection }: BulkBarProps) {
  const [matching, setMatching] = useState<Matching>();
  const { isBusy, failure, attempt } = useAttempt();
  const reading = useRef<AbortController>(undefined);
  useEffect(
    () => () => {
      reading.current?.abort();
    },
    [],
  );
  const selectAll = (): void => {
    const abort = new AbortController();
    reading.current = abort;
    attempt(async () => {
      const read = await readMatching(kind, filter, order, abort.signal);
      setMatching(read);
      selection.replace(read.ids);
    });
  };
  return { isBusy, failure, matching, selectAll };
}

type Opened = 'delete' | 'edit' | undefined;

function SelectedActions({ kind, offered, selection }: BulkBarProps) {
  const [opened, setOpened] = useState<Opened>();
  const dialog = {
    kind,
    ids: [...selection.ids],
    close: () => {
      setOpened(undefined);
    },
  };
  return (
    <>
      <span role="status">{texts.bulk.count(selection.ids.size)}</span>
      <Button
        variant="subtle"
        onClick={() => {
          selection.replace([]);
        }}
      >
        {texts.bulk.none}
      </Button>
      {offered.canEdit ? (
        <Button
          variant="default"
          onClick={() => {
            setOpened('edit');
          }}
        >
          {texts.bulk.edit}
        </Button>
      ) : null}
      {offered.canDelete ? (
        <Button
          variant="default"
          onClick={() => {
            setOpened('delete');
          }}
        >
          {texts.bulk.remove}
        </Button>
      ) : null}
      {opened === 'edit' ? <BulkEditDialog {...dialog} /> : null}
      {opened === 'delete' ? <BulkDeleteDialog {...dialog} /> : null}
    </>
  );
}
