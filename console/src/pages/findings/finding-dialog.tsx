import { Modal } from '@mantine/core';
import { description } from '../../description/description.js';
import { wordsOf, wordsOfValue } from '../../description/names.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import { FindingEntities, LinkedText } from '../../parts/findings/finding-text.js';
import { TONES } from '../../addresses/findings-search.js';
import { MuteFacts } from './mute-facts.js';
import { MuteForm } from './mute-form.js';
import { ProposedChanges } from './proposed-changes.js';
import type { Finding } from '../../parts/findings/read-findings.js';

interface FindingDialogProps {
  /** Undefined: none is open. */
  readonly id: string | undefined;
  /** Undefined: the list has none of this id. */
  readonly finding: Finding | undefined;
  readonly isLoading: boolean;
  readonly close: () => void;
  /** The mute has changed. */
  readonly reload: () => void;
}

/** A finding with the changes that resolve it, and its mute. */
export function FindingDialog({ id, finding, isLoading, close, reload }: FindingDialogProps) {
  return (
    <Modal opened={id !== undefined} onClose={close} title={texts.findings.one} size="xl">
      {finding ? (
        <Details key={finding.findingId} finding={finding} close={close} reload={reload} />
      ) : (
        <div className="dim">{isLoading ? texts.loading : texts.findings.gone}</div>
      )}
    </Modal>
  );
}

interface DetailsProps {
  readonly finding: Finding;
  readonly close: () => void;
  readonly reload: () => void;
}

function Details({ finding, close, reload }: DetailsProps) {
  const { kind, severity, mute, findingId } = finding;
  const may = useMay();
  const mayMute = may('Mutation', 'muteFinding');
  return (
    <div className="stack">
      <p>
        <span className={`tag ${TONES[severity]}`}>{wordsOfValue(severity)}</span>{' '}
        <LinkedText finding={finding} />
      </p>
      <dl className="attributes">
        <div>
          <dt>{wordsOf('kind')}</dt>
          <dd>
            {wordsOfValue(kind)}{' '}
            <span className="dim">{description.enums.FindingKind?.[kind]}</span>
          </dd>
        </div>
        <div>
          <dt>{texts.findings.entities}</dt>
          <dd>
            <FindingEntities finding={finding} most={Infinity} />
          </dd>
        </div>
        <div>
          <dt>{wordsOf('id')}</dt>
          <dd className="code">{findingId}</dd>
        </div>
      </dl>
      <ProposedChanges finding={finding} />
      {mute || mayMute ? <h3>{texts.findings.mute}</h3> : null}
      {mute ? <MuteFacts id={findingId} mute={mute} reload={reload} /> : null}
      {!mute && mayMute ? <MuteForm id={findingId} close={close} reload={reload} /> : null}
    </div>
  );
}
