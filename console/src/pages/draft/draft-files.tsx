import { Button, FileButton } from '@mantine/core';
import { useRef, useState } from 'react';
import type { DraftChange } from '../../draft/draft.js';
import { modelChanges, withNames } from '../../draft/model-changes.js';
import { ExportDraft } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useLatestAttempt } from '../../graph/use-latest-attempt.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { saveFile } from '../../parts/save-file.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import { openFile, type OpenedFile } from './open-file.js';

interface DraftFilesProps {
  readonly changes: readonly DraftChange[];
  /** Called before each of these. */
  readonly begin: () => void;
}

/** Adds an import file to the draft, and writes the draft as an import file. */
export function DraftFiles({ changes, begin: beginning }: DraftFilesProps) {
  const may = useMay();
  const { isBusy, failure, attempt, stop } = useLatestAttempt();
  const [reading, setReading] = useState<ReadingState>();
  const [opened, setOpened] = useState<OpenedFile>();
  const [omitted, setOmitted] = useState<readonly string[]>();
  const resetInput = useRef<() => void>(null);
  const begin = (work: (signal: AbortSignal) => Promise<void>): void => {
    beginning();
    setReading(undefined);
    setOpened(undefined);
    setOmitted(undefined);
    attempt(work);
  };
  const open = (file: File | null): void => {
    // The same file can be chosen again.
    resetInput.current?.();
    if (!file) return;
    begin(async (signal) => {
      const progress = (percent: number | undefined): void => {
        if (!signal.aborted) setReading({ name: file.name, percent });
      };
      setOpened(await openFile(file, { signal, progress }));
    });
  };
  const download = async (signal: AbortSignal): Promise<void> => {
    setOmitted(await downloadDraft(changes, signal));
  };
  return (
    <div className="stack tight">
      <div className="row">
        {may('Query', 'simulateImport') ? (
          <FileButton onChange={open} accept=".json,.yaml,.yml" resetRef={resetInput}>
            {(props) => (
              <Button variant="default" {...props}>
                {texts.draft.file.open}
              </Button>
            )}
          </FileButton>
        ) : null}
        {changes.length > 0 && may('Query', 'exportChanges') ? (
          <Button
            variant="default"
            disabled={isBusy}
            onClick={() => {
              begin(download);
            }}
          >
            {texts.draft.file.download}
          </Button>
        ) : null}
      </div>
      {isBusy && reading ? <Reading {...reading} stop={stop} /> : null}
      <FailureNotice failure={failure} />
      {opened ? <Opened file={opened} /> : null}
      {omitted && omitted.length > 0 ? (
        <Lines title={texts.draft.file.notInFile} lines={omitted} />
      ) : null}
    </div>
  );
}

interface ReadingState {
  readonly name: string;
  /** Undefined: the controller has the file. */
  readonly percent: number | undefined;
}

/** How far a file is read. */
function Reading({ name, percent, stop }: ReadingState & { readonly stop: () => void }) {
  const text =
    percent === undefined ? texts.draft.file.comparing(name) : texts.draft.file.reading(name);
  return (
    <div className="row">
      <span role="status">{text}</span>
      <progress aria-label={text} max={100} value={percent} />
      <Button variant="subtle" onClick={stop}>
        {texts.draft.file.stop}
      </Button>
    </div>
  );
}

/** Writes what an import file can hold of the draft; gives the rest, in one line each. */
async function downloadDraft(
  changes: readonly DraftChange[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { exportChanges } = await ask(ExportDraft, { changes: modelChanges(changes) }, { signal });
  const { document = {}, omitted = [] } = exportChanges ?? {};
  const lines = omitted.map((line) => withNames(line, changes));
  if (Object.keys(document).length === 0) return [...lines, texts.draft.file.nothing];
  const content = `${JSON.stringify(document, undefined, 2)}\n`;
  saveFile('draft.json', new Blob([content], { type: 'application/json' }));
  return lines;
}

function Opened({ file: { name, count, faults, faultCount, leftOut } }: { file: OpenedFile }) {
  if (faultCount > 0) {
    return <Lines title={texts.draft.file.faults(name, faultCount)} lines={faults} />;
  }
  return (
    <>
      <div className="notice" role="status">
        {count === 0 ? texts.draft.file.same(name) : texts.draft.file.added(name, count)}
      </div>
      {leftOut.length > 0 ? <Lines title={texts.draft.file.notInDraft} lines={leftOut} /> : null}
    </>
  );
}

const MAX_LINES = 20;

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  const more = lines.length - MAX_LINES;
  return (
    <div className="notice warn" role="status">
      <div>{title}</div>
      <ul>
        {lines.slice(0, MAX_LINES).map((line, i) => (
          // The lines of an answer keep their places.
          <li key={i}>{line}</li>
        ))}
        {more > 0 ? <li>{texts.draft.file.more(more)}</li> : null}
      </ul>
    </div>
  );
}
