import type { Kind } from '../../description/description.js';
import { PendingEnrollments, type EnrollmentMethod } from '../../emitted/operations.js';
import { useAnswer } from '../../graph/use-answer.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { useMay } from '../../graph/caller-context.js';
import { texts } from '../../texts.js';
import { IdentityLogins } from './identity-logins.js';
import { NewEnrollment } from './new-enrollment.js';
import { PendingEnrollment } from './pending-enrollment.js';
import { ReEnrollRouter } from './re-enroll.js';

interface EnrollmentTabProps {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
}

/** The invitations of an identity or a router that were not used yet, and new ones. */
export function EnrollmentTab({ kind, id, name }: EnrollmentTabProps) {
  const filter = `${kind.one} = ${JSON.stringify(id)}`;
  const { data, failure, reload } = useAnswer(PendingEnrollments, { filter });
  const pending = data?.enrollments?.nodes;
  if (!pending) return failure ? <FailureNotice failure={failure} /> : <div>{texts.loading}</div>;
  const methods = pending.map(({ method }) => method);
  return (
    <div className="stack">
      <FailureNotice failure={failure} />
      {pending.length === 0 ? <div className="dim">{texts.enrollment.none}</div> : null}
      {pending.map((each) => (
        <PendingEnrollment key={each.id} enrollment={each} name={name} done={reload} />
      ))}
      {kind.type === 'Identity' ? <OfIdentity id={id} pending={methods} done={reload} /> : null}
      {kind.type === 'EdgeRouter' ? <OfEdgeRouter id={id} done={reload} /> : null}
    </div>
  );
}

interface NewOnesProps {
  readonly id: string;
  readonly done: () => void;
}

function OfIdentity({
  id,
  pending,
  done,
}: NewOnesProps & { pending: readonly EnrollmentMethod[] }) {
  const may = useMay();
  return (
    <>
      {may('Mutation', 'createEnrollment') ? (
        <NewEnrollment identityId={id} pending={pending} done={done} />
      ) : null}
      {may('Mutation', 'reEnrollAuthenticator') ? <IdentityLogins id={id} done={done} /> : null}
    </>
  );
}

function OfEdgeRouter({ id, done }: NewOnesProps) {
  const may = useMay();
  return may('Mutation', 'reEnrollEdgeRouter') ? <ReEnrollRouter id={id} done={done} /> : null;
}
