import { IdentityLogins as Logins, ReEnrollAuthenticator } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAnswer } from '../../graph/use-answer.js';
import { EntityLink } from '../../parts/entity-link.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Instant } from '../../parts/instant.js';
import { Panel } from '../../parts/panel.js';
import { texts } from '../../texts.js';
import { ReEnroll } from './re-enroll.js';
import { endOf, FIRST_HOURS } from './valid-for.js';

/** The ways in which an identity logs in, each of which can be replaced by an invitation. */
export function IdentityLogins({ id, done }: { id: string; done: () => void }) {
  const { data, failure, reload } = useAnswer(Logins, { id });
  const logins = data?.identity?.authenticatorsConnection.nodes ?? [];
  if (logins.length === 0) return <FailureNotice failure={failure} />;
  return (
    <Panel title={texts.enrollment.logins}>
      <div className="stack">
        {logins.map(({ id: login, method, username, notAfter }) => {
          const name =
            method === 'cert'
              ? texts.enrollment.certificate
              : texts.enrollment.password(username ?? '');
          return (
            <div key={login} className="row">
              <span className="grow">
                <EntityLink type="Authenticator" id={login} name={name} />
                {notAfter === null ? null : (
                  <>
                    {' '}
                    {texts.enrollment.until} <Instant at={notAfter} /> (
                    <Instant at={notAfter} isRelative />)
                  </>
                )}
              </span>
              <ReEnroll
                name={name}
                warning={texts.enrollment.loginEnds}
                run={async () => {
                  await ask(ReEnrollAuthenticator, { id: login, expiresAt: endOf(FIRST_HOURS) });
                  reload();
                  done();
                }}
              />
            </div>
          );
        })}
      </div>
    </Panel>
  );
}
