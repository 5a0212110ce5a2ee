import { Button, Textarea } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { PreviewToken, type PreviewTokenResult } from '../../emitted/operations.js';
import { ask } from '../../graph/ask.js';
import { useAttempt } from '../../graph/use-attempt.js';
import { EntityLink } from '../../parts/entity-link.js';
import { FailureNotice } from '../../parts/failure-notice.js';
import { Panel } from '../../parts/panel.js';
import { PlainTable } from '../../parts/plain-table.js';
import { AnyValue } from '../../parts/value.js';
import { texts } from '../../texts.js';

const words = texts.tokenPreview;

type Preview = NonNullable<PreviewTokenResult['previewExternalJwt']>;

/** Tells what a login by a token would get. The token stays in the page. */
export function TokenPreview({ id }: { id: string }) {
  const [token, setToken] = useState('');
  const [answer, setAnswer] = useState<{ readonly token: string; readonly preview: Preview }>();
  const { isBusy, failure, attempt } = useAttempt();
  const run = (): void => {
    setAnswer(undefined);
    attempt(async () => {
      const { previewExternalJwt: preview } = await ask(PreviewToken, { token: token.trim() });
      if (preview) setAnswer({ token, preview });
    });
  };
  // One about an earlier token may come late.
  const preview = answer?.token === token ? answer.preview : undefined;
  return (
    <div className="stack">
      <form
        className="stack form"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <Textarea
          label={words.token}
          description={words.help}
          required
          autosize
          minRows={3}
          maxRows={10}
          spellCheck={false}
          value={token}
          onChange={(event) => {
            setToken(event.currentTarget.value);
          }}
        />
        <FailureNotice failure={failure} />
        <div>
          <Button type="submit" loading={isBusy}>
            {words.run}
          </Button>
        </div>
      </form>
      {preview ? <Outcome preview={preview} signerId={id} /> : null}
    </div>
  );
}

function Outcome({ preview, signerId }: { preview: Preview; signerId: string }) {
  const { refusal, reason, signer } = preview;
  return (
    <>
      <div className={refusal === null ? 'notice good' : 'notice bad'} role="status">
        {refusal === null ? words.accepted : `${words.refused} ${reason ?? refusal}`}
      </div>
      {signer?.id === signerId ? null : (
        <div className="notice warn">
          {signer ? (
            <>
              {words.otherSigner}{' '}
              <EntityLink type="ExternalJwtSigner" id={signer.id} name={signer.name} />
            </>
          ) : (
            words.noSigner
          )}
        </div>
      )}
      <Panel title={words.result}>
        <Gains preview={preview} />
      </Panel>
      <Conditions preview={preview} />
      <AdminClaims preview={preview} />
    </>
  );
}

function Gains({ preview }: { preview: Preview }) {
  const { identity, createsIdentity, roleAttributes, grantedAdmin, grantedPermissions } = preview;
  const named = identity ? (
    <EntityLink type="Identity" id={identity.id} name={identity.name} />
  ) : (
    texts.none
  );
  const gains: readonly (readonly [string, ReactNode])[] = [
    [words.identity, createsIdentity ? words.creates : named],
    [words.roleAttributes, <AnyValue key="attributes" value={roleAttributes} />],
    [
      words.rights,
      grantedAdmin ? words.allRights : <AnyValue key="rights" value={grantedPermissions} />,
    ],
  ];
  return (
    <dl className="attributes inner">
      {gains.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Conditions({ preview: { conditions } }: { preview: Preview }) {
  if (conditions.length === 0) return null;
  return (
    <Panel title={words.conditions}>
      <PlainTable
        label={words.conditions}
        heads={[words.claim, words.isMet]}
        rows={conditions.map(({ claim, isMet }, i) => [
          String(i),
          [claim, isMet ? texts.yes : <span className="tag bad">{texts.no}</span>],
        ])}
      />
    </Panel>
  );
}

function AdminClaims({ preview: { adminClaims } }: { preview: Preview }) {
  if (adminClaims.length === 0) return null;
  return (
    <Panel title={words.adminClaims}>
      <PlainTable
        label={words.adminClaims}
        heads={[words.claim, words.gives, words.reason]}
        rows={adminClaims.map(({ claim, isAdmin, permissions, reason }, i) => [
          String(i),
          [
            claim,
            isAdmin ? words.allRights : <AnyValue key="permissions" value={permissions} />,
            reason ?? texts.none,
          ],
        ])}
      />
    </Panel>
  );
}
