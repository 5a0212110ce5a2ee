import { Button } from '@mantine/core';
import { useState } from 'react';
import { RefreshEnrollment, type PendingEnrollmentsResult } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { CopyButton } from '../../parts/copy-button.js';
import { EntityLink } from '../../parts/entity-link.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Instant } from '../../parts/instant.js';
import { Panel } from '../../parts/panel.js';
import { QrCode } from '../../parts/qr-code.js';
import { saveFile } from '../../parts/save-file.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import { endOf, FIRST_HOURS, ValidFor } from './valid-for.js';

type Enrollment = NonNullable<PendingEnrollmentsResult['enrollments']>['nodes'][number];

interface PendingEnrollmentProps {
  readonly enrollment: Enrollment;
  /** Of the entity that enrolls. */
  readonly name: string;
  readonly done: () => void;
}

/** An invitation that was not used yet: until when, and its token in all forms. */
export function PendingEnrollment({ enrollment, name, done }: PendingEnrollmentProps) {
  const { id, method, expiresAt, jwt, username, ca } = enrollment;
  const may = useMay();
  const hasEnded = Date.parse(expiresAt) <= Date.now();
  return (
    <Panel
      title={texts.enrollment.methods[method]}
      aside={<EntityLink type="Enrollment" id={id} name={texts.enrollment.details} />}
    >
      <div className="stack">
        {username === null ? null : (
          <div>
            {texts.enrollment.username}: {username}
          </div>
        )}
        {ca ? (
          <div>
            {texts.enrollment.authority}:{' '}
            <EntityLink type="CertificateAuthority" id={ca.id} name={ca.name} />
          </div>
        ) : null}
        <div className={hasEnded ? 'notice warn' : undefined}>
          {hasEnded ? texts.enrollment.ended : texts.enrollment.validUntil}{' '}
          <Instant at={expiresAt} /> (<Instant at={expiresAt} isRelative />)
        </div>
        {hasEnded ? null : <Token jwt={jwt} name={name} />}
        {may('Mutation', 'refreshEnrollment') ? <Refresh id={id} done={done} /> : null}
      </div>
    </Panel>
  );
}

function Token({ jwt, name }: { jwt: string; name: string }) {
  const [isCoded, setCoded] = useState(false);
  if (jwt === '') return <div className="dim">{texts.enrollment.hidden}</div>;
  return (
    <>
      <div className="row">
        <CopyButton text={jwt} label={texts.enrollment.copy} />
        <Button
          variant="default"
          onClick={() => {
            saveFile(`${name}.jwt`, new Blob([jwt], { type: 'application/jwt' }));
          }}
        >
          {texts.enrollment.save}
        </Button>
        <Button
          variant="default"
          aria-expanded={isCoded}
          onClick={() => {
            setCoded(!isCoded);
          }}
        >
          {isCoded ? texts.enrollment.hideCode : texts.enrollment.showCode}
        </Button>
      </div>
      {isCoded ? (
        <QrCode text={jwt} label={texts.enrollment.code} tooLong={texts.enrollment.codeTooLong} />
      ) : null}
    </>
  );
}

function Refresh({ id, done }: { id: string; done: () => void }) {
  const [hours, setHours] = useState(FIRST_HOURS);
  const { isBusy, failure, attempt } = useAttempt();
  return (
    <form
      className="stack tight"
      onSubmit={(event) => {
        event.preventDefault();
        attempt(async () => {
          await ask(RefreshEnrollment, { id, expiresAt: endOf(hours) });
          done();
        });
      }}
    >
      <div className="row end-line">
        <ValidFor hours={hours} setHours={setHours} />
        <Button type="submit" variant="default" loading={isBusy}>
          {texts.enrollment.refresh}
        </Button>
      </div>
      <div className="dim">{texts.enrollment.refreshHelp}</div>
      <FailureNotice failure={failure} />
    </form>
  );
}
