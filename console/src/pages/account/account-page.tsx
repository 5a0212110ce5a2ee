import { Account } from '../../emitted/operations.js';
import { useAnswer } from '../../graph/use-answer.js';
import { EntityLink } from '../../parts/entity-link.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { MyAccessLink } from '../../parts/my-access-link.js';
import { PageHeading } from '../../parts/page-heading.js';
import { Panel } from '../../parts/panel.js';
import { texts } from '../../texts.js';
import { OwnSessions } from './own-sessions.js';
import { PasswordForm } from './password-form.js';
import { SecondFactor } from './second-factor.js';

/** What the caller may change of its own account. */
export function AccountPage() {
  const { data, failure, reload } = useAnswer(Account, {});
  const identity = data?.currentIdentity;
  if (!identity) return <FailureNotice failure={failure} />;
  const { id, name, isAdmin, permissions, authenticatorsConnection, apiSessions } = identity;
  const passwords = authenticatorsConnection.nodes.filter(({ method }) => method === 'updb');
  return (
    <div className="stack">
      <PageHeading text={texts.pages.account} />
      <p>
        <EntityLink type="Identity" id={id} name={name} />{' '}
        {isAdmin ? texts.account.isAdmin : texts.account.mayDo(permissions)}
      </p>
      <MyAccessLink />
      <div className="grid">
        {passwords.map((authenticator) => (
          <Panel key={authenticator.id} title={texts.account.password}>
            <PasswordForm id={authenticator.id} username={authenticator.username} />
          </Panel>
        ))}
        <Panel title={texts.account.secondFactor}>
          <SecondFactor />
        </Panel>
        <OwnSessions
          sessions={apiSessions.nodes}
          currentId={data.currentApiSession?.id}
          reload={reload}
        />
      </div>
    </div>
  );
}
